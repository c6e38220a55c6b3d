package io.distributedlock.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;

/**
 * The main class of a JVM that increments a number in a file, which only the lock guards.
 * Several threads do so for some seconds, each at least once. The JVM prints
 * {@code READY}, starts when it reads a line and prints how many updates it has made. It
 * fails if a fencing token is not higher than the one before. Arguments: the class of the
 * factory, the key, the file, the number of threads, the seconds, the arguments of the
 * factory.
 */
final class KitWorker {

	private KitWorker() {
	}

	@SuppressWarnings("SystemOut")
	public static void main(String[] args) throws IOException {
		try {
			System.out.println("UPDATES " + run(args));
		}
		catch (Exception ex) {
			ex.printStackTrace();
			// otherwise threads of a client would keep the JVM running
			Runtime.getRuntime().halt(1);
		}
		while (System.in.read() >= 0) {
			Thread.onSpinWait();
		}
	}

	@SuppressWarnings("SystemOut")
	private static long run(String[] args) throws Exception {
		ProviderSource source = new ProviderSource(Class.forName(args[0]).asSubclass(ProviderFactory.class),
				List.of(args).subList(5, args.length), true, null);
		LockRequest request = LockRequest.of(args[1]);
		Path file = Path.of(args[2]);
		int threads = Integer.parseInt(args[3]);
		DefaultLockTemplate template = KitNodes.template(source.createConnected(KitNodes.PATIENCE).provider()).build();
		System.out.println("READY");
		if (System.in.read() < 0) {
			throw new IllegalStateException("The input ended before the line that starts the updates");
		}
		long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(args[4]));
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		Callable<Long> work = () -> {
			long updates = 0;
			do {
				try (LockHandle handle = template.acquire(request)) {
					update(file, handle);
				}
				updates++;
			}
			while (System.nanoTime() - until < 0);
			return updates;
		};
		List<Future<Long>> results = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			results.add(pool.submit(work));
		}
		long updates = 0;
		for (Future<Long> result : results) {
			updates += result.get();
		}
		return updates;
	}

	private static void update(Path file, LockHandle handle) throws IOException {
		String[] before = Files.readString(file).split(" ", -1);
		long token = handle.fencingToken().orElse(0);
		if (handle.fencingToken().isPresent() && token <= Long.parseLong(before[1])) {
			throw new IllegalStateException("Token %s comes after %s".formatted(token, before[1]));
		}
		Files.writeString(file, (Long.parseLong(before[0]) + 1) + " " + token);
	}

}
