package io.distributedlock.test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;

/**
 * The main class of a JVM that takes part in a {@link Storm}. It prints {@code READY},
 * calls until it reads a line, and prints {@code OVER}. Arguments: the class of the
 * factory, the file with the numbers, the lock types, the beginning of the keys, the
 * numbers of keys, threads and kinds of calls, the arguments of the factory.
 */
final class KitStorm {

	private KitStorm() {
	}

	@SuppressWarnings({ "SystemOut", "CatchAndPrintStackTrace" })
	public static void main(String[] args) {
		int status = 1;
		try {
			ProviderSource source = new ProviderSource(Class.forName(args[0]).asSubclass(ProviderFactory.class),
					List.of(args).subList(7, args.length), true, null);
			DefaultLockTemplate node = KitNodes.template(source.createConnected(KitNodes.PATIENCE).provider()).build();
			Storm storm = new Storm(Stream.of(args[2].split("\\+", -1)).map(LockType::valueOf).toList(), args[3],
					Integer.parseInt(args[4]), Integer.parseInt(args[5]), Integer.parseInt(args[6]),
					SharedNumber.in(Path.of(args[1])));
			System.out.println("READY");
			storm.rage(List.of(node), StormContract.JVMS, () -> {
				if (System.in.read() < 0) {
					throw new IllegalStateException("The input ended before the line that ends the storm");
				}
			});
			System.out.println("OVER");
			// what its last calls still do must not end with it
			System.in.readAllBytes();
			status = 0;
		}
		catch (Exception ex) {
			ex.printStackTrace();
		}
		// otherwise threads of a client would keep the JVM running
		Runtime.getRuntime().halt(status);
	}

}
