package io.distributedlock.application;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webtestclient.autoconfigure.AutoConfigureWebTestClient;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static io.distributedlock.test.patience.Patience.await;

/**
 * An application with JPA and WebFlux adds the starter for databases and nothing else.
 */
@Timeout(120)
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.datasource.url=jdbc:h2:mem:accounts;DB_CLOSE_DELAY=-1", "lock.wait-time=60s",
				"lock.command-timeout=20s" })
@AutoConfigureWebTestClient(timeout = "60s")
class JpaAndWebFluxTests {

	private static final String HELD = "select count(*) from distributed_lock where owner is not null";

	@Autowired
	private Accounts accounts;

	@Autowired
	private TransactionTemplate transactions;

	@Autowired
	private WebTestClient web;

	@Autowired
	private JdbcTemplate database;

	@Test
	void transactionIsCommittedBeforeTheLockIsReleased() {
		this.accounts.open(1);
		AtomicReference<String> atCommit = new AtomicReference<>();
		this.accounts.deposit(1, atCommit);
		assertThat(atCommit).hasValue("held");
		awaitNoneHeld();
	}

	@Test
	void noUpdateOfAnEntityIsLost() {
		this.accounts.open(2);
		List<CompletableFuture<Void>> callers = Stream.generate(() -> CompletableFuture.runAsync(() -> {
			for (int i = 0; i < 25; i++) {
				this.accounts.deposit(2, new AtomicReference<>());
			}
		}, (task) -> new Thread(task).start())).limit(4).toList();
		callers.forEach(CompletableFuture::join);
		assertThat(this.accounts.balance(2)).isEqualTo(100);
	}

	@Test
	void updateIsLostIfTheCallerHasLoadedTheEntityBeforeTheLock() {
		depositAfterALook(3, () -> this.accounts.deposit(3, new AtomicReference<>()));
		assertThat(this.accounts.balance(3)).as("of two deposits").isEqualTo(1);
	}

	@Test
	void refreshInsideTheLockLosesNothing() {
		depositAfterALook(4, () -> this.accounts.refreshAndDeposit(4));
		assertThat(this.accounts.balance(4)).isEqualTo(2);
	}

	/**
	 * Load an account in a transaction, let another thread deposit, then deposit.
	 */
	private void depositAfterALook(long id, Runnable deposit) {
		this.accounts.open(id);
		this.transactions.executeWithoutResult((transaction) -> {
			assertThat(this.accounts.balance(id)).isZero();
			CompletableFuture.runAsync(deposit, (task) -> new Thread(task).start()).join();
			deposit.run();
		});
	}

	@Test
	void referenceIsNoKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.accounts.use(this.accounts.reference(5)))
			.withMessageContaining("part of a key");
	}

	@Test
	void lockOfAControllerIsHeldUntilItsMonoHasEnded() {
		this.web.get().uri("/held/7").exchange().expectStatus().isOk().expectBody(String.class).isEqualTo("1 held");
		awaitNoneHeld();
	}

	private void awaitNoneHeld() {
		await().untilAsserted(() -> assertThat(this.database.queryForObject(HELD, Integer.class)).isZero());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Accounts.class, Controller.class })
	static class Application {

	}

	@RestController
	static class Controller {

		private final JdbcTemplate database;

		Controller(JdbcTemplate database) {
			this.database = database;
		}

		@GetMapping("/held/{id}")
		@DistributedLock(name = "held", key = "#id")
		public Mono<String> held(@PathVariable String id) {
			return Mono.fromCallable(() -> this.database.queryForObject(HELD, Integer.class) + " held")
				.subscribeOn(Schedulers.boundedElastic());
		}

	}

}
