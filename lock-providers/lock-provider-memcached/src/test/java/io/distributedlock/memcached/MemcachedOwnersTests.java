package io.distributedlock.memcached;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import com.spotify.folsom.BinaryMemcacheClient;
import com.spotify.folsom.ConnectFuture;
import com.spotify.folsom.MemcacheClient;
import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.server.MemcachedTestServer;
import org.awaitility.Awaitility;
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
		this.provider = new MemcachedLockProvider(this.client, Duration.ofSeconds(2));
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
			MemcachedLockProvider cutOff = new MemcachedLockProvider(far, Duration.ofSeconds(2));
			Lease lease = Objects.requireNonNull(get(cutOff.tryAcquire(REQUEST)));
			proxy.dropReplies();
			assertThat(get(this.provider.revoke("k", onlyOwner()))).isTrue();
			Lease next = Objects.requireNonNull(get(this.provider.tryAcquire(REQUEST)));
			proxy.heal();
			Awaitility.await("the former owner learns of it")
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
		MemcachedLockProvider other = new MemcachedLockProvider(binary, Duration.ofSeconds(2));
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

	private LockOwner onlyOwner() {
		List<LockOwner> owners = get(this.provider.owners("k"));
		assertThat(owners).hasSize(1);
		return owners.get(0);
	}

}
