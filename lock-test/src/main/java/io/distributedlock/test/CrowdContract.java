package io.distributedlock.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.distributedlock.LockCapability;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.ChildJvm;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that no update is lost and no waiter is forgotten when many threads and several
 * JVMs want one key, and that locking works again after the server was restarted.
 */
abstract class CrowdContract extends LockTypeContract {

	private static final Logger logger = LoggerFactory.getLogger(CrowdContract.class);

	@Test
	final void noUpdateOfThreeJvmsIsLost(@TempDir Path folder) throws IOException {
		Assumptions.assumeTrue(source().sharedBetweenJvms(), SINGLE_JVM);
		Path counter = Files.writeString(folder.resolve("counter"), "0 0");
		List<String> arguments = new ArrayList<>(List.of(source().factory().getName(), key(), counter.toString(), "4",
				System.getProperty("lock.kit.seconds", "3")));
		arguments.addAll(source().arguments());
		List<ChildJvm> jvms = new ArrayList<>();
		long updates = 0;
		try {
			for (int i = 0; i < 3; i++) {
				jvms.add(ChildJvm.start(KitWorker.class, arguments.toArray(String[]::new)));
			}
			// they start at the same time, when the slowest of them is ready
			jvms.forEach((jvm) -> jvm.awaitLine("READY"));
			jvms.forEach((jvm) -> jvm.send("go"));
			for (ChildJvm jvm : jvms) {
				updates += Long.parseLong(jvm.awaitLine("UPDATES").split(" ", -1)[1]);
			}
		}
		finally {
			jvms.forEach(ChildJvm::close);
		}
		assertThat(Files.readString(counter)).startsWith(updates + " ");
		logger.info("Three JVMs with four threads each have acquired one key {} times", updates);
	}

	@Test
	final void twoHundredWaitersAreServedOnceEach() throws Exception {
		List<LockTemplate> nodes = List.of(node(), node(), node(), node());
		LockRequest patient = request().withWaitTime(Duration.ofMinutes(2));
		AtomicInteger[] served = new AtomicInteger[200];
		AtomicInteger inside = new AtomicInteger();
		LockHandle handle = nodes.get(0).acquireAsync(patient).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		CompletableFuture<?>[] waiting = new CompletableFuture<?>[served.length];
		for (int i = 0; i < served.length; i++) {
			AtomicInteger mine = new AtomicInteger();
			served[i] = mine;
			waiting[i] = nodes.get(i % nodes.size()).executeAsync(patient, () -> {
				assertThat(inside.incrementAndGet()).as("holders inside").isEqualTo(1);
				mine.incrementAndGet();
				inside.decrementAndGet();
				return CompletableFuture.completedFuture(null);
			});
		}
		handle.close();
		CompletableFuture.allOf(waiting).get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(served).extracting(AtomicInteger::get).containsOnly(1);
	}

	/**
	 * No poll hides a signal that was lost, and a look of a place comes so late that it
	 * shows. One in all is let pass. In each of many small crowds nobody comes later who
	 * might wake the last calls by chance, and some calls end while they wait.
	 */
	@Test
	final void signalsAloneWakeCallsOfAllTypes() throws Exception {
		// a place looks four times in a lease
		Duration look = longLease().dividedBy(4);
		List<DefaultLockTemplate> nodes = Stream.generate(() -> node((settings) -> settings.pollInterval(NEVER_POLL)))
			.limit(3)
			.toList();
		if (!isCapableOf(LockCapability.BLOCKING_WAIT)) {
			return;
		}
		List<LockType> types = types();
		int slow = 0;
		CompletableFuture<?>[] calls = new CompletableFuture<?>[nodes.size() * types.size()];
		for (int crowd = 0; crowd < 50; crowd++) {
			long begun = System.nanoTime();
			for (int i = 0; i < calls.length; i++) {
				LockType type = types.get(i / nodes.size());
				LockRequest request = (type != LockType.SEMAPHORE) ? request().withType(type)
						: LockRequest.of(key() + "permits").withPermits(2);
				boolean brief = (i + crowd) % 5 == 0;
				calls[i] = nodes.get(i % nodes.size())
					.acquireAsync(brief ? request.withWaitTime(Duration.ofMillis(crowd % 4)) : request)
					.thenCompose(LockHandle::closeAsync)
					.exceptionallyCompose((failure) -> (brief && failure.getCause() instanceof LockNotAcquiredException)
							? CompletableFuture.completedFuture(null) : CompletableFuture.failedFuture(failure));
			}
			CompletableFuture.allOf(calls).get(Patience.SECONDS, TimeUnit.SECONDS);
			slow += (System.nanoTime() - begun > look.toNanos() / 2) ? 1 : 0;
		}
		assertThat(slow).as("crowds that needed a look").isLessThan(2);
	}

	@Test
	@NeedsServerAlone
	final void lockingWorksAgainAfterAServerRestart() {
		Runnable restart = source().restart();
		Assumptions.assumeTrue(restart != null, "the source names no server that can be restarted");
		Duration lease = atLeastShortest(Duration.ofSeconds(2));
		LockTemplate first = briefNode(lease);
		LockTemplate second = briefNode(lease);
		LockHandle before = first.acquire(request());
		restart.run();
		LockRequest another = LockRequest.of(key() + "another").withWaitTime(Duration.ZERO);
		Patience.await("recovery")
			.atMost(Patience.stretched(Duration.ofSeconds(10)))
			.ignoreExceptionsInstanceOf(LockException.class)
			.until(() -> {
				second.acquire(another).close();
				first.acquire(another).close();
				return true;
			});
		// the holder kept its lock or was told of the loss: it closes its handle and
		// then blocks the others for a lease at most
		before.close();
		Patience.await().ignoreExceptionsInstanceOf(LockException.class).until(() -> {
			try (LockHandle after = second.acquire(request())) {
				if (before.fencingToken().isPresent()) {
					assertThat(after.fencingToken().orElseThrow()).as("token after the restart")
						.isGreaterThan(before.fencingToken().orElseThrow());
				}
				return after.isValid();
			}
		});
	}

}
