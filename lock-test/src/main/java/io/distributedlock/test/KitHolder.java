package io.distributedlock.test;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;

/**
 * The main class of a JVM that holds a lock until the JVM is killed. Arguments: the class
 * of the factory, the key, the lease in milliseconds, the arguments of the factory.
 */
final class KitHolder {

	private KitHolder() {
	}

	@SuppressWarnings("SystemOut")
	public static void main(String[] args) throws ReflectiveOperationException, IOException {
		ProviderSource source = new ProviderSource(Class.forName(args[0]).asSubclass(ProviderFactory.class),
				List.of(args).subList(3, args.length), true, null);
		DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(source.createConnected(KitNodes.PATIENCE).provider())
			.commandTimeout(KitNodes.PATIENCE)
			.keyPrefix("kit")
			.renewalLeaseTime(Duration.ofMillis(Long.parseLong(args[2])))
			.build();
		LockHandle handle = template.acquire(LockRequest.of(args[1]));
		handle.onLost((loss) -> System.out.println("LOST " + loss.getMessage()));
		System.out.println("HELD " + handle.key());
		while (System.in.read() >= 0) {
			handle.ensureHeld();
		}
	}

}
