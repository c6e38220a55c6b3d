package io.distributedlock.examples;

import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.annotation.OnUnavailable;
import io.distributedlock.spring.LockLostEvent;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.server.RedisTestServer;
import org.awaitility.Awaitility;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a call gives while the backend cannot be reached. The local provider cannot be
 * away.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = { "redisson", "redis", "jdbc" })
class OutageExampleTests extends Nodes {

	private AutoCloseable server;

	private TcpProxy network;

	private ConfigurableApplicationContext node;

	@BeforeEach
	void startBehindAProxy() throws SQLException {
		if (this.provider.equals("jdbc")) {
			Server database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
			this.server = database::stop;
			this.network = new TcpProxy(database.getPort());
		}
		else {
			RedisTestServer redis = RedisTestServer.run();
			this.server = redis;
			this.network = new TcpProxy(URI.create(redis.url()).getPort());
		}
		this.node = node(List.of("lock.command-timeout=500ms", "lock.wait-time=500ms", "lock.renewal.lease-time=2s",
				"spring.data.redis.url=redis://127.0.0.1:" + this.network.port(),
				"spring.datasource.url=jdbc:h2:tcp://127.0.0.1:%d/mem:outage;DB_CLOSE_DELAY=-1"
					.formatted(this.network.port())),
				Prices.class, Exports.class);
	}

	@AfterEach
	void healAndStop() throws Exception {
		this.network.heal();
		this.node.close();
		this.network.close();
		this.server.close();
	}

	@Test
	void methodRunsWithoutTheLockOnlyIfItSaysSo() {
		Prices prices = this.node.getBean(Prices.class);
		assertThat(prices.refresh("eur")).isEqualTo("locked eur");
		this.network.blackHole();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> prices.refresh("eur"))
			.withMessageContaining("prices:eur")
			.withMessageContaining(this.provider);
		assertThatExceptionOfType(LockUnavailableException.class).as("an outage is no contention")
			.isThrownBy(() -> prices.skipped("eur"));
		assertThat(prices.calls()).isEqualTo(1);
		assertThat(prices.anyway("eur")).isEqualTo("unlocked eur");
		this.network.heal();
		Awaitility.await()
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.untilAsserted(() -> assertThat(prices.refresh("eur")).isEqualTo("locked eur"));
	}

	@Test
	void endOfTheLeaseIsToldThoughTheBackendIsAway() {
		Exports exports = this.node.getBean(Exports.class);
		this.network.cut();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> exports.export(this.network));
		assertThat(exports.warned()).as("before the end").isCompleted();
		Awaitility.await()
			.untilAsserted(() -> assertThat(exports.lost())
				.isCompletedWithValueMatching((event) -> event.getLoss().getKey().contains("export")));
	}

	static class Prices {

		private final AtomicInteger calls = new AtomicInteger();

		@DistributedLock(name = "prices", key = "#currency")
		public String refresh(String currency) {
			this.calls.incrementAndGet();
			return (LockContext.find().isPresent() ? "locked " : "unlocked ") + currency;
		}

		@DistributedLock(name = "prices", key = "#currency", waitTime = "0", onContention = OnContention.SKIP)
		public String skipped(String currency) {
			return refresh(currency);
		}

		@DistributedLock(name = "prices", key = "#currency", onUnavailable = OnUnavailable.PROCEED)
		public String anyway(String currency) {
			return refresh(currency);
		}

		int calls() {
			return this.calls.get();
		}

	}

	static class Exports {

		private final CompletableFuture<LockHandle> warned = new CompletableFuture<>();

		private final CompletableFuture<LockLostEvent> lost = new CompletableFuture<>();

		@DistributedLock(name = "export", onLost = OnLost.INTERRUPT)
		public void export(TcpProxy network) throws InterruptedException {
			LockHandle lock = LockContext.current();
			lock.onExpiring(Duration.ofMillis(500), () -> this.warned.complete(lock));
			network.blackHole();
			new CountDownLatch(1).await(30, TimeUnit.SECONDS);
		}

		@EventListener
		void onLost(LockLostEvent event) {
			this.lost.complete(event);
		}

		CompletableFuture<LockHandle> warned() {
			return this.warned;
		}

		CompletableFuture<LockLostEvent> lost() {
			return this.lost;
		}

	}

}
