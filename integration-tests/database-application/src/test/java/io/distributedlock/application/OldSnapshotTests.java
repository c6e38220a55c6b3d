package io.distributedlock.application;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.example.shop.ShopApplication;
import io.distributedlock.test.server.MariaDbTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * MariaDB reads what a transaction saw first, also under a lock that is younger. The
 * remedies are those of the page on transactions.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@EnabledIf("io.distributedlock.test.server.MariaDbTestServer#isAvailable")
@ExtendWith(OutputCaptureExtension.class)
@TestMethodOrder(OrderAnnotation.class)
class OldSnapshotTests {

	private static MariaDbTestServer server;

	private static ConfigurableApplicationContext context;

	private final JdbcTemplate database = context.getBean(JdbcTemplate.class);

	private final LockedOrders orders = context.getBean(LockedOrders.class);

	@BeforeAll
	static void start() {
		server = MariaDbTestServer.run();
		context = new SpringApplicationBuilder(ShopApplication.class, LockedOrders.class).run(
				"--spring.datasource.url=" + server.url(), "--spring.cache.type=simple",
				"--lock.jdbc.initialize-schema=always", "--lock.wait-time=60s", "--lock.command-timeout=20s");
		context.getBean(JdbcTemplate.class).execute("create table stock (amount int not null)");
	}

	@AfterAll
	static void stop() {
		context.close();
		server.close();
	}

	/**
	 * From MariaDB 11.6.2 on the server refuses the update instead. The method is warned
	 * of once, so this test is the first.
	 */
	@Test
	@Order(1)
	void updateIsLostIfTheCallerHasReadBeforeTheLock(CapturedOutput output) {
		try {
			addTwice(TransactionDefinition.ISOLATION_DEFAULT, () -> add(""));
			assertThat(amount("")).as("of two").isEqualTo(1);
		}
		catch (ConcurrencyFailureException ex) {
			assertThat(amount("")).isEqualTo(1);
		}
		assertThat(output).containsOnlyOnce("LockedOrders.settle acquired its lock inside a transaction");
	}

	@Test
	void readCommittedLosesNothing() {
		addTwice(TransactionDefinition.ISOLATION_READ_COMMITTED, () -> add(""));
		assertThat(amount("")).isEqualTo(2);
	}

	@Test
	void transactionOfTheLockedMethodLosesNothing() {
		TransactionTemplate own = transaction(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		addTwice(TransactionDefinition.ISOLATION_REPEATABLE_READ, () -> own.execute((status) -> add("")));
		assertThat(amount("")).isEqualTo(2);
	}

	@Test
	void readForUpdateLosesNothing() {
		addTwice(TransactionDefinition.ISOLATION_REPEATABLE_READ, () -> add(" for update"));
		assertThat(amount("")).isEqualTo(2);
	}

	/**
	 * Read in a transaction, let another thread add under the lock, then add under it.
	 */
	private void addTwice(int isolation, Supplier<?> add) {
		this.database.update("delete from stock");
		this.database.update("insert into stock values (0)");
		transaction(isolation).executeWithoutResult((status) -> {
			assertThat(amount("")).isZero();
			CompletableFuture.runAsync(() -> this.orders.settle("42", add), (task) -> new Thread(task).start()).join();
			this.orders.settle("42", add);
		});
	}

	private TransactionTemplate transaction(int isolation) {
		TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		transaction.setIsolationLevel(isolation);
		return transaction;
	}

	private int add(String mode) {
		return this.database.update("update stock set amount = ?", amount(mode) + 1);
	}

	private Integer amount(String mode) {
		return this.database.queryForObject("select amount from stock" + mode, Integer.class);
	}

}
