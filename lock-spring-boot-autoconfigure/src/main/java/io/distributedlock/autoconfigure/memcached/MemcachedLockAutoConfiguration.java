package io.distributedlock.autoconfigure.memcached;

import com.spotify.folsom.ExponentialBackoff;
import com.spotify.folsom.MemcacheClient;
import com.spotify.folsom.MemcacheClientBuilder;
import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.memcached.MemcachedLockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of locks on Memcached: with the application's {@link MemcacheClient}
 * of strings if it has one, else with one made from {@code lock.memcached.*}.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ MemcacheClient.class, MemcachedLockProvider.class })
@ConditionalOnLockProvider(MemcachedLockProvider.NAME)
@EnableConfigurationProperties({ LockProperties.class, MemcachedLockProperties.class })
public final class MemcachedLockAutoConfiguration {

	private static final long FIRST_PAUSE_MILLIS = 20;

	private static final long LONGEST_PAUSE_MILLIS = 1000;

	@Bean(destroyMethod = "shutdown")
	@ConditionalOnMissingBean
	MemcacheClient<String> lockMemcacheClient(MemcachedLockProperties properties, LockProperties lock) {
		MemcacheClientBuilder<String> builder = MemcacheClientBuilder.newStringClient()
			.withConnections(1)
			// a command that is sent again by itself would find what it has written
			.withRetry(false)
			// Folsom's own goes up to a minute: as long nobody could lock after an outage
			.withBackoff(new ExponentialBackoff(FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS, 2))
			.withConnectionTimeoutMillis(lock.getCommandTimeout().toMillis());
		for (String server : properties.getServers()) {
			int colon = server.lastIndexOf(':');
			if (colon > 0) {
				builder.withAddress(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
			}
			else {
				builder.withAddress(server);
			}
		}
		if (properties.getUsername() != null && properties.getPassword() != null) {
			builder.withUsernamePassword(properties.getUsername(), properties.getPassword());
		}
		return (properties.getProtocol() == MemcachedLockProperties.Protocol.BINARY) ? builder.connectBinary()
				: builder.connectAscii();
	}

	@Bean
	@ConditionalOnMissingBean
	MemcachedLockProvider memcachedLockProvider(MemcacheClient<String> client, LockProperties lock) {
		return new MemcachedLockProvider(client, lock.getCommandTimeout());
	}

}
