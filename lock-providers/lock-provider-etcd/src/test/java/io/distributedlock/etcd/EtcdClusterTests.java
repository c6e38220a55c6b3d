package io.distributedlock.etcd;

import java.lang.module.ModuleDescriptor.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.distributedlock.test.CallsUnderFault;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.EtcdTestServer;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Three members that fail one at a time while calls go on. The client of each node knows
 * one member only, so one of them has the leader.
 */
@EnabledIf("io.distributedlock.test.CallsUnderFault#haveTime")
class EtcdClusterTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration LEASE = Duration.ofSeconds(5);

	private List<EtcdTestServer> members;

	private final List<Client> clients = new ArrayList<>();

	private CallsUnderFault calls;

	@BeforeEach
	void start() {
		this.members = EtcdTestServer.runCluster(3);
		this.members.forEach((member) -> this.clients
			.add(EtcdClients.forLocks(Client.builder(), COMMAND_TIMEOUT).endpoints(member.url()).build()));
		this.calls = new CallsUnderFault(this.clients.stream()
			.map((client) -> new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, COMMAND_TIMEOUT))
			.toList(), LEASE);
	}

	@AfterEach
	void stop() {
		this.calls.close();
		this.clients.forEach(Client::close);
		this.members.forEach(EtcdTestServer::close);
	}

	@Test
	void lockHasOneOwnerWhileMembersFail() throws Exception {
		this.calls.haveOneOwnerAtATime(Duration.ofSeconds(3),
				Map.of("leader stopped", this::stopLeader, "leader not heard", () -> mute(leader()),
						"follower not heard", () -> mute(follower()), "follower stopped", () -> stop(follower()),
						"leader killed", () -> {
							EtcdTestServer leader = leader();
							leader.kill();
							return leader::start;
						}, "compaction", () -> {
							get(this.clients.get(0).getKVClient().compact(locks().getHeader().getRevision()));
							return EtcdClusterTests::nothing;
						}, "defragmentation", () -> {
							get(this.clients.get(0).getMaintenanceClient().defragmentMember(leader().url()));
							return EtcdClusterTests::nothing;
						}));
	}

	/**
	 * Older versions end etcd leases that others have renewed during the pause.
	 */
	@Test
	void leaderMayPauseForLongerThanALease() throws Exception {
		Map<String, Supplier<Runnable>> pause = Map.of("leader stopped", this::stopLeader);
		if (isLeaseSafeFromOldLeaders()) {
			this.calls.haveOneOwnerAtATime(LEASE.multipliedBy(2), pause);
		}
		else {
			this.calls.haveRisingTokens(LEASE.multipliedBy(2), pause);
		}
	}

	@Test
	void tokensRiseWhileEtcdLeasesAreRevoked() throws Exception {
		this.calls.haveRisingTokens(Duration.ofSeconds(1), Map.of("etcd leases revoked", () -> {
			locks().getKvs()
				.stream()
				.map(KeyValue::getLease)
				.distinct()
				.forEach((lease) -> get(this.clients.get(0).getLeaseClient().revoke(lease)));
			return EtcdClusterTests::nothing;
		}));
	}

	private static void nothing() {
		// the fault has ended already
	}

	private boolean isLeaseSafeFromOldLeaders() {
		Version version = Version.parse(
				get(this.clients.get(0).getMaintenanceClient().statusMember(this.members.get(0).url())).getVersion());
		return isFrom("3.5.13", version) || (isFrom("3.4.31", version) && !isFrom("3.5", version));
	}

	private static boolean isFrom(String first, Version version) {
		return version.compareTo(Version.parse(first)) >= 0;
	}

	private Runnable stopLeader() {
		return stop(leader());
	}

	private static Runnable stop(EtcdTestServer member) {
		member.suspend();
		return member::resume;
	}

	private static Runnable mute(EtcdTestServer member) {
		member.mute();
		return member::unmute;
	}

	private EtcdTestServer leader() {
		return EtcdEdgeCaseTests.leader(this.members);
	}

	private EtcdTestServer follower() {
		EtcdTestServer leader = leader();
		return this.members.stream().filter((member) -> member != leader).findAny().orElseThrow();
	}

	private GetResponse locks() {
		return get(this.clients.get(0)
			.getKVClient()
			.get(EtcdCalls.bytes(EtcdLockProvider.DEFAULT_PREFIX), GetOption.builder().isPrefix(true).build()));
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
