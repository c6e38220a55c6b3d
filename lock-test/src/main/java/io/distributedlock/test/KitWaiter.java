package io.distributedlock.test;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;

/**
 * The main class of a JVM that waits for locks until the JVM is killed. Arguments: the
 * class of the factory, the beginning of the keys, the lease in milliseconds, the lock
 * types with commas between them, the arguments of the factory. Each key ends with the
 * name of its lock type. It prints {@code HELD}, the type and the fencing token, or zero,
 * for each lock that it gets, and releases it.
 */
final class KitWaiter {

	private KitWaiter() {
	}

	@SuppressWarnings("SystemOut")
	public static void main(String[] args) throws Exception {
		ProviderSource source = new ProviderSource(Class.forName(args[0]).asSubclass(ProviderFactory.class),
				List.of(args).subList(4, args.length), true, null);
		DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(source.createConnected(KitNodes.PATIENCE).provider())
			.commandTimeout(KitNodes.PATIENCE)
			.keyPrefix("kit")
			.renewalLeaseTime(Duration.ofMillis(Long.parseLong(args[2])))
			.build();
		List<String> types = List.of(args[3].split(",", -1));
		List<CompletableFuture<LockHandle>> waiting = types.stream()
			.map((type) -> LockRequest.of(args[1] + type).withType(LockType.valueOf(type)))
			.map((request) -> template.acquireAsync(request.withWaitTime(Duration.ofMinutes(10))))
			.toList();
		// time for the waiters to enter the queue
		CompletableFuture.anyOf(waiting.toArray(CompletableFuture<?>[]::new))
			.completeOnTimeout(null, 500, TimeUnit.MILLISECONDS)
			.join();
		System.out.println("WAITING " + waiting.stream().noneMatch(CompletableFuture::isDone));
		for (int i = 0; i < types.size(); i++) {
			String type = types.get(i);
			waiting.get(i).thenAccept((handle) -> {
				System.out.println("HELD " + type + " " + handle.fencingToken().orElse(0));
				handle.close();
			});
		}
		awaitEnd();
	}

	private static void awaitEnd() throws IOException {
		while (System.in.read() >= 0) {
			Thread.onSpinWait();
		}
	}

}
