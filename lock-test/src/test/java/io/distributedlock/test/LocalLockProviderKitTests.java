package io.distributedlock.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.DisplayName;

@DisplayName("local")
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
		public Node create(List<String> arguments, Duration commandTimeout) {
			return new Node(SHARED.computeIfAbsent(arguments, (ignored) -> new LocalLockProvider()));
		}

	}

}
