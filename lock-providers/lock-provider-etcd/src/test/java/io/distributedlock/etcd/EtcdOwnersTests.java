package io.distributedlock.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.EtcdTestServer;
import io.etcd.jetcd.Client;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EtcdOwners}, beside those of the kit.
 */
class EtcdOwnersTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static EtcdTestServer server;

	private final List<AutoCloseable> opened = new ArrayList<>();

	@BeforeAll
	static void start() {
		server = EtcdTestServer.run();
	}

	@AfterAll
	static void stop() {
		if (server != null) {
			server.close();
		}
	}

	@AfterEach
	void closeAll() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void idDoesNotDependOnTheLocale() {
		Locale usual = Locale.getDefault();
		Locale.setDefault(Locale.forLanguageTag("ar-u-nu-arab"));
		try {
			assertThat(EtcdOwners.idOf(EtcdCalls.bytes("k"), 17)).isEqualTo("k@17");
		}
		finally {
			Locale.setDefault(usual);
		}
	}

	@Test
	void thoseWhoWaitAreNoOwnersAndComeInTurnAfterAForcedRelease() {
		EtcdLockProvider provider = provider(server.url());
		EtcdLockProvider other = provider(server.url());
		LeaseRequest request = request("queue", LockType.EXCLUSIVE);
		Lease lease = take(provider, request);
		LockQueue.Place first = behindOthers(other, request);
		LockQueue.Place second = behindOthers(other, request);
		LockOwner owner = onlyOwner(other, "queue");
		assertThat(lease.ownerId()).contains(owner.id());
		assertThat(owner.fencingToken().orElseThrow())
			.isEqualTo(lease.fencingToken().orElseThrow() + lease.fencingTokens() - 1);
		assertThat(get(other.revoke("queue", owner))).isTrue();
		Lease next = get(first.granted());
		assertThat(next.ownerId()).contains(onlyOwner(provider, "queue").id());
		assertThat(get(other.revoke("queue", owner))).as("the former owner").isFalse();
		assertThat(get(lease.renew(LONG))).isNull();
		assertThat(get(next.renew(LONG))).isNotNull();
		assertThat(second.granted().toCompletableFuture()).isNotDone();
		get(next.release());
		get(get(second.granted()).release());
	}

	@Test
	void asManyOwnersAreShownAsThereArePermits() {
		EtcdLockProvider provider = provider(server.url());
		LeaseRequest permit = new LeaseRequest("permits", LONG, LockType.SEMAPHORE, 2,
				System.nanoTime() + LONG.toNanos());
		Lease one = take(provider, permit);
		Lease other = take(provider, permit);
		LockQueue.Place place = behindOthers(provider, permit);
		Lease alone = take(provider, request("permits", LockType.EXCLUSIVE));
		take(provider, request("permits2", LockType.EXCLUSIVE));
		assertThat(get(provider.owners("permits"))).extracting(LockOwner::id)
			.containsExactlyInAnyOrder(id(one), id(other), id(alone));
		LockOwner owner = get(provider.owners("permits")).stream()
			.filter((each) -> each.id().equals(id(other)))
			.findAny()
			.orElseThrow();
		assertThat(owner.type()).isEqualTo(LockType.SEMAPHORE);
		assertThat(get(provider.revoke("permits", owner))).isTrue();
		Lease next = get(place.granted());
		assertThat(get(provider.owners("permits"))).extracting(LockOwner::id)
			.containsExactlyInAnyOrder(id(one), id(next), id(alone));
		assertThat(get(one.renew(LONG))).isNotNull();
		assertThat(get(alone.renew(LONG))).isNotNull();
		assertThat(get(other.renew(LONG))).isNull();
	}

	@Test
	void readersInFrontOfTheFirstWriterAreOwners() {
		EtcdLockProvider provider = provider(server.url());
		Lease one = take(provider, request("readers", LockType.READ));
		Lease other = take(provider, request("readers", LockType.READ));
		LockQueue.Place writer = behindOthers(provider, request("readers", LockType.WRITE));
		LockQueue.Place behind = behindOthers(provider, request("readers", LockType.READ));
		assertThat(get(provider.owners("readers"))).allMatch((owner) -> owner.type() == LockType.READ)
			.extracting(LockOwner::id)
			.containsExactlyInAnyOrder(id(one), id(other));
		for (LockOwner owner : get(provider.owners("readers"))) {
			assertThat(get(provider.revoke("readers", owner))).isTrue();
		}
		Lease written = get(writer.granted());
		assertThat(onlyOwner(provider, "readers").id()).isEqualTo(id(written));
		assertThat(onlyOwner(provider, "readers").type()).isEqualTo(LockType.EXCLUSIVE);
		assertThat(get(written.release())).isTrue();
		assertThat(id(get(behind.granted()))).isEqualTo(onlyOwner(provider, "readers").id());
	}

	@Test
	void ownerOfAnotherKeyIsNotReleased() {
		EtcdLockProvider provider = provider(server.url());
		Lease lease = take(provider, request("mine", LockType.EXCLUSIVE));
		LockOwner owner = onlyOwner(provider, "mine");
		assertThat(get(provider.revoke("another", owner))).isFalse();
		assertThat(get(provider.revoke("mine", new LockOwner("nobody", LockType.EXCLUSIVE, LONG)))).isFalse();
		assertThat(get(lease.renew(LONG))).isNotNull();
	}

	@Test
	void keyIsTakenFromANodeThatIsCutOff() {
		TcpProxy proxy = open(new TcpProxy(server.port()));
		EtcdLockProvider cutOff = provider("http://127.0.0.1:" + proxy.port());
		EtcdLockProvider provider = provider(server.url());
		LeaseRequest request = request("cut", LockType.EXCLUSIVE);
		Lease lease = take(cutOff, request);
		proxy.dropReplies();
		LockQueue.Place place = behindOthers(provider, request);
		assertThat(get(provider.revoke("cut", onlyOwner(provider, "cut")))).isTrue();
		Lease next = get(place.granted());
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(cutOff.owners("cut")))
			.withCauseInstanceOf(BackendException.class);
		proxy.heal();
		Patience.await("the former owner learns of it")
			.atMost(LONG)
			.ignoreExceptions()
			.until(() -> get(lease.renew(LONG)) == null);
		assertThat(get(lease.release())).isFalse();
		assertThat(get(next.renew(LONG))).isNotNull();
	}

	private static Lease take(EtcdLockProvider provider, LeaseRequest request) {
		return Objects.requireNonNull(get(provider.tryAcquire(request)));
	}

	private static LockQueue.Place behindOthers(EtcdLockProvider provider, LeaseRequest request) {
		LockQueue.Place place = provider.enqueue(request);
		Patience.await().until(place::isBehindOthers);
		return place;
	}

	private static LockOwner onlyOwner(EtcdLockProvider provider, String key) {
		List<LockOwner> owners = get(provider.owners(key));
		assertThat(owners).hasSize(1);
		return owners.get(0);
	}

	private static String id(Lease lease) {
		return lease.ownerId().orElseThrow();
	}

	private static LeaseRequest request(String key, LockType type) {
		return new LeaseRequest(key, LONG, type);
	}

	private EtcdLockProvider provider(String url) {
		Duration commandTimeout = Duration.ofSeconds(5);
		Client client = open(EtcdClients.forLocks(Client.builder(), commandTimeout).endpoints(url).build());
		return open(new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, commandTimeout));
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
	}

}
