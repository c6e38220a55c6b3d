package io.distributedlock.test.server.contract;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.patience.Patience;

/**
 * The main class of a JVM that waits for a lock. When it has the lock, it prints
 * {@code HELD} with the fencing token, and stops, as by {@code kill -STOP}. It prints
 * {@code LOST} when it has lost the lock. Arguments: the class of the factory, the prefix
 * of the keys, the key, the lease in milliseconds, the arguments of the factory.
 */
final class WaiterJvm {

	private static final int OWN_ARGUMENTS = 4;

	private static final Duration WAIT_TIME = Duration.ofMinutes(10);

	private WaiterJvm() {
	}

	@SuppressWarnings("SystemOut")
	public static void main(String[] args) throws ReflectiveOperationException, IOException {
		ProviderFactory factory = Class.forName(args[0])
			.asSubclass(ProviderFactory.class)
			.getConstructor()
			.newInstance();
		DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(
					factory.create(Arrays.asList(args).subList(OWN_ARGUMENTS, args.length), Patience.LIMIT).provider())
			.keyPrefix(args[1])
			.commandTimeout(Patience.LIMIT)
			.renewalLeaseTime(Duration.ofMillis(Long.parseLong(args[3])))
			// a grant lives for three intervals: the test looks at it meanwhile
			.pollInterval(Duration.ofSeconds(1))
			.build();
		Patience.await("connection").ignoreExceptions().until(() -> {
			template.acquire("warm-up").close();
			return true;
		});
		// a process that is there already: on a busy machine it takes long to start one
		Process stopper = new ProcessBuilder("sh", "-c", "read line && kill -STOP " + ProcessHandle.current().pid())
			.start();
		CompletableFuture<LockHandle> waiting = template.acquireAsync(LockRequest.of(args[2]).withWaitTime(WAIT_TIME));
		CompletableFuture<Void> printed = waiting.thenAccept((handle) -> {
			System.out.println("HELD " + handle.fencingToken().orElseThrow());
			handle.onLost((loss) -> System.out.println("LOST"));
			go(stopper);
		});
		while (System.in.read() >= 0) {
			printed.orTimeout(WAIT_TIME.toMinutes() + 1, TimeUnit.MINUTES).join();
		}
	}

	private static void go(Process stopper) {
		try (OutputStream input = stopper.getOutputStream()) {
			input.write('\n');
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
