package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the provider for requests that name none.
 */
final class DefaultProviderName {

	private static final String KNOWN = "redisson, redis, redlock, jdbc, zookeeper, etcd, memcached, local";

	private DefaultProviderName() {
	}

	static String choose(@Nullable String wanted, List<LockProvider> providers) {
		List<String> names = providers.stream().map(LockProvider::name).toList();
		if (wanted != null) {
			if (names.contains(wanted)) {
				return wanted;
			}
			throw new LockConfigurationException(
					"lock.provider is '%s', and there is no such lock provider. Those that there are: %s."
						.formatted(wanted, names.isEmpty() ? "none" : names),
					"Set lock.provider to one of %s, add the module that brings it, io.distributedlock:lock-provider-%s, or declare a LockProvider bean of that name."
						.formatted(KNOWN, wanted),
					null);
		}
		if (names.isEmpty()) {
			throw new LockConfigurationException(
					"There is no lock provider: no LockProvider bean, and none that could be configured.",
					"Add io.distributedlock:lock-spring-boot-starter, which brings Redisson, and set spring.data.redis.host; or set lock.provider=local to try locks out inside one JVM.",
					null);
		}
		if (names.size() > 1) {
			throw new LockConfigurationException("There are several lock providers and no choice: %s.".formatted(names),
					"Set lock.provider to the one that serves requests which name none.", null);
		}
		return names.get(0);
	}

}
