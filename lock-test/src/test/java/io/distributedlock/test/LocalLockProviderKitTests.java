package io.distributedlock.test;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.LockProvider;

class LocalLockProviderKitTests extends LockProviderCompatibilityKit {

	private static final ProviderSource SOURCE = ProviderSource.inThisJvm(Factory.class, "kit");

	@Override
	protected ProviderSource source() {
		return SOURCE;
	}

	/**
	 * Nodes of one JVM share the provider object.
	 */
	public static final class Factory implements ProviderFactory {

		private static final Map<List<String>, LocalLockProvider> SHARED = new ConcurrentHashMap<>();

		@Override
		public LockProvider create(List<String> arguments) {
			return SHARED.computeIfAbsent(arguments, (ignored) -> new LocalLockProvider());
		}

	}

}
