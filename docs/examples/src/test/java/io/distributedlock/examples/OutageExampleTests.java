package io.distributedlock.examples;

import java.math.BigDecimal;
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
import io.distributedlock.event.LockEvent;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;
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
 * What calls return and throw while the backend cannot be reached. The local provider is
 * not among them: it has no outages.
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
		this.node = node(
				List.of("lock.command-timeout=500ms", "lock.wait-time=500ms", "lock.renewal.lease-time=2s",
						"export.lease-time=-1", "spring.data.redis.url=redis://127.0.0.1:" + this.network.port(),
						"spring.datasource.url=jdbc:h2:tcp://127.0.0.1:%s/mem:outage;DB_CLOSE_DELAY=-1"
							.formatted(this.network.port())),
				Prices.class, ContentionHandlers.class, ObservedExchange.class, Exports.class, CutOffArchive.class);
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
		ObservedExchange exchange = this.node.getBean(ObservedExchange.class);
		awaitLock(prices);
		this.network.blackHole();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> prices.current("eur"))
			.withMessageContaining("prices:eur")
			.withMessageContaining(this.provider);
		assertThatExceptionOfType(LockUnavailableException.class).as("an outage is no contention")
			.isThrownBy(() -> prices.refresh("eur"));
		assertThat(exchange.calls()).isEqualTo(1);
		assertThat(prices.evenTwice("eur")).isEqualTo(ObservedExchange.UNLOCKED);
		this.network.heal();
		awaitLock(prices);
	}

	@Test
	void holderIsToldOfTheEndOfItsLeaseThoughTheBackendIsDown() {
		Exports exports = this.node.getBean(Exports.class);
		CutOffArchive archive = this.node.getBean(CutOffArchive.class);
		archive.connectedBy(this.network);
		awaitLock(this.node.getBean(Prices.class));
		// an attempt may take longer than the command time-out before the network is cut
		Patience.await()
			.untilAsserted(() -> assertThatExceptionOfType(LockLostException.class).isThrownBy(exports::export));
		assertThat(archive.warned()).as("before the end").isCompleted();
		Patience.await()
			.untilAsserted(() -> assertThat(archive.lost())
				.isCompletedWithValueMatching((event) -> event.lock().key().contains("export")));
	}

	/**
	 * Until the client is connected it needs longer than the command time-out.
	 */
	private static void awaitLock(Prices prices) {
		Patience.await()
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.untilAsserted(() -> assertThat(prices.exact("eur")).isEqualTo(ObservedExchange.LOCKED));
	}

	static class ObservedExchange implements Prices.Exchange {

		static final BigDecimal LOCKED = BigDecimal.ONE;

		static final BigDecimal UNLOCKED = BigDecimal.TEN;

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		public BigDecimal rate(String currency) {
			this.calls.incrementAndGet();
			return LockContext.find().isPresent() ? LOCKED : UNLOCKED;
		}

		int calls() {
			return this.calls.get();
		}

	}

	static class CutOffArchive implements Exports.Archive {

		private final CompletableFuture<LockHandle> warned = new CompletableFuture<>();

		private final CompletableFuture<LockEvent.Lost> lost = new CompletableFuture<>();

		private volatile @Nullable TcpProxy network;

		void connectedBy(TcpProxy network) {
			this.network = network;
		}

		@Override
		public void writeAll() throws InterruptedException {
			LockHandle lock = LockContext.current();
			lock.onExpiring(Duration.ofSeconds(1), () -> this.warned.complete(lock));
			this.network.blackHole();
			new CountDownLatch(1).await(Patience.SECONDS, TimeUnit.SECONDS);
		}

		@EventListener
		void onLost(LockEvent.Lost event) {
			this.lost.complete(event);
		}

		CompletableFuture<LockHandle> warned() {
			return this.warned;
		}

		CompletableFuture<LockEvent.Lost> lost() {
			return this.lost;
		}

	}

}
