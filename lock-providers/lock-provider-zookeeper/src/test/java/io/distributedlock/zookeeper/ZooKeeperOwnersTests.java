package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ZooKeeperOwners}, beside those of the kit.
 */
class ZooKeeperOwnersTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private TestingServer server;

	private ZooKeeperLockProvider provider;

	@BeforeEach
	void start() throws Exception {
		// ZooKeeper allows sessions of up to twenty ticks: no session ends in these tests
		this.server = open(Servers.run(3000));
		this.provider = provider(this.server.getPort());
	}

	@AfterEach
	void stop() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void ownerThatHasEndedIsNotRemembered(LockType type) {
		LeaseRequest request = request("k", type);
		Lease first = take(request);
		Lease second = get(this.provider.tryAcquire(request));
		assertThat(second != null).as("shared").isEqualTo(type == LockType.READ);
		LockQueue.Place place = this.provider.enqueue(request("k", (second != null) ? LockType.WRITE : type));
		assertThat(this.provider.presentOwners()).isEqualTo((second != null) ? 3 : 2);
		place.leave();
		get(first.release());
		if (second != null) {
			get(second.release());
		}
		assertThat(this.provider.presentOwners()).isZero();
	}

	@Test
	void thoseWhoWaitAreNoOwnersAndComeInTurnAfterAForcedRelease() {
		ZooKeeperLockProvider other = provider(this.server.getPort());
		LeaseRequest request = request("k", LockType.EXCLUSIVE);
		Lease lease = take(request);
		LockQueue.Place first = behindOthers(request);
		LockQueue.Place second = behindOthers(request);
		LockOwner owner = onlyOwner();
		assertThat(lease.ownerId()).contains(owner.id());
		assertThat(owner.fencingToken().orElseThrow())
			.isEqualTo(lease.fencingToken().orElseThrow() + lease.fencingTokens() - 1);
		assertThat(get(other.revoke("k", owner))).isTrue();
		Lease next = get(first.granted());
		assertThat(next.ownerId()).contains(onlyOwner().id());
		assertThat(get(other.revoke("k", owner))).as("the former owner").isFalse();
		assertThat(get(lease.renew(LONG))).isNull();
		assertThat(get(next.renew(LONG))).isNotNull();
		assertThat(second.granted().toCompletableFuture()).isNotDone();
		get(next.release());
		get(get(second.granted()).release());
	}

	@Test
	void asManyOwnersAreShownAsThereArePermits() {
		LeaseRequest permit = new LeaseRequest("k", LONG, LockType.SEMAPHORE, 2, System.nanoTime() + LONG.toNanos());
		Lease one = take(permit);
		Lease other = take(permit);
		LockQueue.Place place = behindOthers(permit);
		Lease alone = take(request("k", LockType.EXCLUSIVE));
		take(request("k2", LockType.EXCLUSIVE));
		assertThat(owners()).extracting(LockOwner::id).containsExactlyInAnyOrder(id(one), id(other), id(alone));
		LockOwner owner = owners().stream().filter((each) -> each.id().equals(id(other))).findAny().orElseThrow();
		assertThat(owner.type()).isEqualTo(LockType.SEMAPHORE);
		assertThat(get(this.provider.revoke("k", owner))).isTrue();
		Lease next = get(place.granted());
		assertThat(owners()).extracting(LockOwner::id).containsExactlyInAnyOrder(id(one), id(next), id(alone));
		assertThat(get(one.renew(LONG))).isNotNull();
		assertThat(get(alone.renew(LONG))).isNotNull();
		assertThat(get(other.renew(LONG))).isNull();
	}

	@Test
	void readersInFrontOfTheFirstWriterAreOwners() {
		Lease one = take(request("k", LockType.READ));
		Lease other = take(request("k", LockType.READ));
		LockQueue.Place writer = behindOthers(request("k", LockType.WRITE));
		LockQueue.Place behind = behindOthers(request("k", LockType.READ));
		assertThat(owners()).allMatch((owner) -> owner.type() == LockType.READ)
			.extracting(LockOwner::id)
			.containsExactlyInAnyOrder(id(one), id(other));
		for (LockOwner owner : owners()) {
			assertThat(get(this.provider.revoke("k", owner))).isTrue();
		}
		Lease written = get(writer.granted());
		assertThat(onlyOwner().type()).isEqualTo(LockType.EXCLUSIVE);
		assertThat(get(written.release())).isTrue();
		assertThat(id(get(behind.granted()))).isEqualTo(onlyOwner().id());
	}

	@Test
	void keyIsTakenFromANodeThatIsCutOff() {
		TcpProxy proxy = open(new TcpProxy(this.server.getPort()));
		ZooKeeperLockProvider cutOff = provider(proxy.port());
		Lease lease = Objects.requireNonNull(get(cutOff.tryAcquire(request("k", LockType.EXCLUSIVE))));
		proxy.dropReplies();
		LockQueue.Place place = behindOthers(request("k", LockType.EXCLUSIVE));
		assertThat(get(this.provider.revoke("k", onlyOwner()))).isTrue();
		Lease next = get(place.granted());
		proxy.heal();
		Patience.await("the former owner learns of it")
			.atMost(LONG)
			.ignoreExceptions()
			.until(() -> get(lease.renew(LONG)) == null);
		assertThat(get(lease.release())).isFalse();
		assertThat(get(next.renew(LONG))).isNotNull();
		assertThat(onlyOwner().id()).isEqualTo(id(next));
	}

	@Test
	void keyThatWasNeverUsedHasNoOwners() {
		assertThat(owners()).isEmpty();
		assertThat(get(this.provider.revoke("k", new LockOwner("nobody", LockType.EXCLUSIVE, LONG)))).isFalse();
	}

	private Lease take(LeaseRequest request) {
		return Objects.requireNonNull(get(this.provider.tryAcquire(request)));
	}

	private LockQueue.Place behindOthers(LeaseRequest request) {
		LockQueue.Place place = this.provider.enqueue(request);
		Patience.await().until(place::isBehindOthers);
		return place;
	}

	private List<LockOwner> owners() {
		return get(this.provider.owners("k"));
	}

	private LockOwner onlyOwner() {
		List<LockOwner> owners = owners();
		assertThat(owners).hasSize(1);
		return owners.get(0);
	}

	private static String id(Lease lease) {
		return lease.ownerId().orElseThrow();
	}

	private static LeaseRequest request(String key, LockType type) {
		return new LeaseRequest(key, LONG, type);
	}

	private ZooKeeperLockProvider provider(int port) {
		CuratorFramework client = open(
				CuratorFrameworkFactory.newClient("127.0.0.1:" + port, 60_000, 30_000, new RetryNTimes(3, 100)));
		client.start();
		return open(new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT, Duration.ofSeconds(10)));
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
