package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.AotDetector;

/**
 * Chooses the default provider: the one for requests that name none.
 */
final class DefaultProviderName {

	private DefaultProviderName() {
	}

	/**
	 * Check that the further providers which {@code lock.providers} names are available.
	 */
	static void requireAll(List<String> wanted, List<LockProvider> providers) {
		List<String> available = names(providers);
		wanted.forEach((each) -> require("lock.providers contains", each, available));
	}

	static String choose(@Nullable String wanted, List<LockProvider> providers) {
		List<String> available = names(providers);
		if (wanted != null) {
			require("lock.provider is", wanted, available);
			return wanted;
		}
		if (available.isEmpty()) {
			throw new InvalidLockSetupException(
					"There is no lock provider: the application declares no LockProvider bean, and none could be configured.",
					"Add the starter of the backend, and set its address: io.distributedlock:lock-spring-boot-starter for Redis through Redisson (spring.data.redis.host), or lock-spring-boot-starter-redis, -jdbc, -zookeeper, -etcd or -memcached; or set lock.provider=local to try out locks inside one JVM.",
					null);
		}
		if (available.size() > 1) {
			throw ambiguous(available);
		}
		return available.get(0);
	}

	static InvalidLockSetupException ambiguous(List<String> names) {
		return new InvalidLockSetupException(
				"There are several lock providers, and lock.provider does not choose one: %s.".formatted(names),
				"Set lock.provider to the name() of the default one, which serves requests that name none. If the application needs others too, name them in lock.providers.",
				null);
	}

	private static void require(String where, String wanted, List<String> available) {
		if (available.contains(wanted)) {
			return;
		}
		String description = "%s '%s', but there is no lock provider with this name.%s".formatted(where, wanted,
				available.isEmpty() ? "" : " Available: %s.".formatted(available));
		String action = AotDetector.useGeneratedArtifacts() ? AheadOfTimeChoice.action(wanted)
				: KnownProvider.advice(wanted);
		throw new InvalidLockSetupException(description, action, null);
	}

	private static List<String> names(List<LockProvider> providers) {
		return providers.stream().map(LockProvider::name).toList();
	}

}
