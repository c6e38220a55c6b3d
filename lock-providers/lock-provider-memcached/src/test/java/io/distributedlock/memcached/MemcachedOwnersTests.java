package io.distributedlock.memcached;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import com.spotify.folsom.BinaryMemcacheClient;
import com.spotify.folsom.ConnectFuture;
import com.spotify.folsom.MemcacheClient;
import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MemcachedTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.distributedlock.memcached.Clients.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Owners of keys, beside the cases of the kit.
 */
class MemcachedOwnersTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final LeaseRequest REQUEST = new LeaseRequest("k", LONG, LockType.EXCLUSIVE);

	private MemcachedTestServer server;

	private MemcacheClient<String> client;

	private MemcachedLockProvider provider;

	@BeforeEach
	void start() {
		this.server = MemcachedTestServer.run();
		this.client = Clients.connect(this.server.port());
		this.provider = new MemcachedLockProvider(this.client, Patience.LIMIT);
	}

	@AfterEach
	void stop() {
		if (this.server != null) {
			this.provider.close();
			this.client.shutdown();
			this.server.close();
		}
	}

	@Test
	void keyIsTakenFromANodeThatIsCutOff() throws Exception {
		try (TcpProxy proxy = new TcpProxy(this.server.port())) {
			MemcacheClient<String> far = Clients.connect(proxy.port());
			MemcachedLockProvider cutOff = new MemcachedLockProvider(far, Patience.LIMIT);
			Lease lease = Objects.requireNonNull(get(cutOff.tryAcquire(REQUEST)));
			proxy.dropReplies();
			assertThat(get(this.provider.revoke("k", onlyOwner()))).isTrue();
			Lease next = Objects.requireNonNull(get(this.provider.tryAcquire(REQUEST)));
			proxy.heal();
			Patience.await("the former owner learns of it")
				.atMost(LONG)
				.ignoreExceptions()
				.until(() -> get(lease.renew(LONG)) == null);
			assertThat(get(lease.release())).isFalse();
			assertThat(next.ownerId()).contains(onlyOwner().id());
			cutOff.close();
			far.shutdown();
		}
	}

	@Test
	void renewalThatComesBetweenDoesNotSaveTheOwner() {
		Lease lease = Objects.requireNonNull(get(this.provider.tryAcquire(REQUEST)));
		AtomicInteger renewals = new AtomicInteger(2);
		MemcachedLockProvider met = new MemcachedLockProvider(
				beforeDelete(() -> (renewals.getAndDecrement() > 0) ? lease.renew(LONG) : null), Patience.LIMIT);
		assertThat(get(met.revoke("k", onlyOwner()))).isTrue();
		assertThat(get(lease.renew(LONG))).isNull();
		met.close();
	}

	@Test
	void ownerThatAlwaysRenewsIsNotCalledAnother() {
		Lease lease = Objects.requireNonNull(get(this.provider.tryAcquire(REQUEST)));
		MemcachedLockProvider met = new MemcachedLockProvider(beforeDelete(() -> lease.renew(LONG)),
				Duration.ofSeconds(2));
		// on a busy machine one of the answers may be late
		Patience.await()
			.untilAsserted(() -> assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> get(met.revoke("k", onlyOwner())))
				.withCauseInstanceOf(BackendException.class)
				.withMessageContaining("was renewed"));
		assertThat(get(lease.renew(LONG))).isNotNull();
		met.close();
	}

	@Test
	void itemOfTheNextOwnerStays() {
		Lease first = Objects.requireNonNull(get(this.provider.tryAcquire(REQUEST)));
		LockOwner former = onlyOwner();
		get(first.release());
		assertThat(get(this.provider.owners("k"))).isEmpty();
		Lease second = Objects.requireNonNull(get(this.provider.tryAcquire(REQUEST)));
		assertThat(get(this.provider.revoke("k", former))).isFalse();
		assertThat(get(second.renew(LONG))).isNotNull();
	}

	@Test
	void binaryProtocolSaysTheSame() {
		Lease lease = Objects.requireNonNull(get(this.provider.tryAcquire(REQUEST)));
		BinaryMemcacheClient<String> binary = Clients.builder(this.server.port()).connectBinary();
		get(ConnectFuture.connectFuture(binary));
		MemcachedLockProvider other = new MemcachedLockProvider(binary, Patience.LIMIT);
		assertThat(get(other.owners("k"))).isEqualTo(get(this.provider.owners("k")));
		assertThat(get(other.revoke("k", onlyOwner()))).isTrue();
		assertThat(get(lease.renew(LONG))).isNull();
		other.close();
		binary.shutdown();
	}

	@Test
	void ownerOfATypeThatMemcachedDoesNotHaveIsRefused() {
		get(this.provider.tryAcquire(REQUEST));
		LockOwner reader = new LockOwner(onlyOwner().id(), LockType.READ, LONG);
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.provider.revoke("k", reader))
			.withMessageContainingAll("memcached", "READ", "owners()")
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain(reader.id()));
		assertThat(get(this.provider.owners("k"))).hasSize(1);
	}

	@Test
	void serverThatIsDownIsAFailure() {
		LockOwner owner = new LockOwner("someone", LockType.EXCLUSIVE, LONG);
		this.server.kill();
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(this.provider.owners("k")))
			.withCauseInstanceOf(BackendException.class);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(this.provider.revoke("k", owner)))
			.withCauseInstanceOf(BackendException.class);
	}

	/**
	 * Return the client, with something that happens before an item is deleted.
	 */
	@SuppressWarnings("unchecked")
	private MemcacheClient<String> beforeDelete(Supplier<@Nullable CompletionStage<?>> event) {
		return (MemcacheClient<String>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { MemcacheClient.class }, (proxy, method, arguments) -> {
					CompletionStage<?> before = method.getName().equals("delete") ? event.get() : null;
					return (before != null)
							? before
								.thenCompose((done) -> this.client.delete((String) arguments[0], (long) arguments[1]))
							: method.invoke(this.client, arguments);
				});
	}

	private LockOwner onlyOwner() {
		List<LockOwner> owners = get(this.provider.owners("k"));
		assertThat(owners).hasSize(1);
		return owners.get(0);
	}

}
