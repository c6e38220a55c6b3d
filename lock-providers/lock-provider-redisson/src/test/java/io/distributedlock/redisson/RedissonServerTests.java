package io.distributedlock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is sent to a server.
 */
class RedissonServerTests extends OnOneServer {

	private static final Duration LONG = Duration.ofMinutes(2);

	@Test
	void scriptIsSentByItsDigestAndLoadedIfTheServerDoesNotKnowIt() {
		forgetScripts();
		Lease lease = acquire("k");
		assertThat(calls("evalsha")).as("the call, and the call after the load").isEqualTo(2);
		assertThat(loads()).isOne();
		assertThat(get(lease.release())).isTrue();
		server.command("CONFIG", "RESETSTAT");
		assertThat(get(acquire("k").release())).isTrue();
		assertThat(calls("evalsha")).isEqualTo(2);
		assertThat(loads()).isZero();
		assertThat(calls("eval")).as("sources that were sent to be evaluated").isZero();
	}

	@Test
	void leasesAreRenewedTogetherAlthoughTheServerForgotTheScript() {
		List<Lease> leases = IntStream.range(0, 20).mapToObj((i) -> acquire("k" + i)).toList();
		forgetScripts();
		renewAll(leases);
		assertThat(calls("eval")).isZero();
		server.command("CONFIG", "RESETSTAT");
		renewAll(leases);
		assertThat(calls("evalsha")).as("one script for ten").isEqualTo(2);
		assertThat(loads()).isZero();
	}

	private void renewAll(List<Lease> leases) {
		this.provider.renewAll(leases.stream().map((lease) -> new LeaseRenewal(lease, LONG)).toList())
			.forEach((term) -> assertThat(get(term)).isNotNull());
	}

	private Lease acquire(String key) {
		Lease lease = get(this.provider.tryAcquire(new LeaseRequest(key, LONG, LockType.EXCLUSIVE)));
		assertThat(lease).isNotNull();
		return lease;
	}

	private static void forgetScripts() {
		server.command("SCRIPT", "FLUSH");
		server.command("CONFIG", "RESETSTAT");
	}

	private static long loads() {
		// Redis 7 counts subcommands
		return calls("script") + calls("script|load");
	}

	private static long calls(String command) {
		Map<String, Long> calls = server.commandCalls();
		return calls.getOrDefault(command, 0L);
	}

}
