package io.distributedlock.etcd;

import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.EtcdTestServer;
import io.etcd.jetcd.Client;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("all")
class BrokenEtcdTests {

	/**
	 * A lease of an explicit length ends then at the latest, also if the holder goes on
	 * or dies. The downgrade makes it run its whole length anew on the server.
	 */
	@Test
	void downgradeDoesNotDoubleALeaseOfExplicitLength() {
		assertThat(untilFree(true)).isLessThan(untilFree(false).plusSeconds(3));
	}

	private Duration untilFree(boolean downgrade) {
		try (EtcdTestServer server = EtcdTestServer.run();
				Client client = Client.builder().endpoints(server.url()).build();
				DefaultLockTemplate holder = node(client);
				DefaultLockTemplate other = node(client)) {
			Duration lease = Duration.ofSeconds(10);
			long start = System.nanoTime();
			LockHandle writer = holder.acquire(LockRequest.of("k").withType(LockType.WRITE).withLeaseTime(lease));
			LockHandle reader = holder.acquire(LockRequest.of("k").withType(LockType.READ));
			Awaitility.await().pollDelay(Duration.ofSeconds(8)).atMost(Duration.ofSeconds(12)).until(() -> true);
			if (downgrade) {
				writer.close();
				assertThat(reader.isValid()).isTrue();
			}
			// the holder hangs: it is never closed
			other.acquire(LockRequest.of("other")).close();
			java.util.concurrent.CompletableFuture
				.supplyAsync(() -> other.acquire(LockRequest.of("k")
					.withType(LockType.WRITE)
					.withWaitTime(Duration.ofSeconds(60))), (task) -> new Thread(task).start())
				.join()
				.close();
			return Duration.ofNanos(System.nanoTime() - start);
		}
	}

	private static DefaultLockTemplate node(Client client) {
		return DefaultLockTemplate.builder()
			.provider(new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, Duration.ofSeconds(2)))
			.build();
	}

}
