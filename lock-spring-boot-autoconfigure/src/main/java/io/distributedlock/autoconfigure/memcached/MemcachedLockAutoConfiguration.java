package io.distributedlock.autoconfigure.memcached;

import com.spotify.folsom.ExponentialBackoff;
import com.spotify.folsom.MemcacheClient;
import com.spotify.folsom.MemcacheClientBuilder;
import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.autoconfigure.connection.DefaultAddress;
import io.distributedlock.autoconfigure.connection.ServerAddress;
import io.distributedlock.autoconfigure.connection.SignIn;
import io.distributedlock.memcached.MemcachedLockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of locks on Memcached. It uses the application's
 * {@code MemcacheClient<String>} if there is one, otherwise a client that is created from
 * {@code lock.memcached.*}.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ MemcacheClient.class, MemcachedLockProvider.class })
@ConditionalOnLockProvider(MemcachedLockProvider.NAME)
@EnableConfigurationProperties({ LockProperties.class, MemcachedLockProperties.class })
public final class MemcachedLockAutoConfiguration {

	private static final int PORT = 11211;

	private static final long FIRST_PAUSE_MILLIS = 20;

	private static final long LONGEST_PAUSE_MILLIS = 1000;

	@Bean(destroyMethod = "shutdown")
	@ConditionalOnMissingBean
	MemcacheClient<String> distributedLockMemcacheClient(MemcachedLockProperties properties, LockProperties lock,
			Environment environment) {
		DefaultAddress.report(environment, MemcachedLockProvider.NAME, properties.servers(), "lock.memcached.servers");
		MemcacheClientBuilder<String> builder = MemcacheClientBuilder.newStringClient()
			.withConnections(1)
			// a repeated command could find what the first one has written, and take its
			// own lock for that of another owner
			.withRetry(false)
			// Folsom's default grows to a minute, and after an outage no lock would be
			// available until then
			.withBackoff(new ExponentialBackoff(FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS, 2))
			.withConnectionTimeoutMillis(lock.commandTimeout().toMillis());
		for (String server : properties.servers()) {
			ServerAddress address = ServerAddress.parse("lock.memcached.servers", server, PORT);
			builder.withAddress(address.host(), address.port());
		}
		SignIn signIn = SignIn.of("lock.memcached", properties.username(), properties.password());
		if (signIn != null) {
			builder.withUsernamePassword(signIn.username(), signIn.password());
		}
		return (properties.protocol() == MemcachedLockProperties.Protocol.BINARY) ? builder.connectBinary()
				: builder.connectAscii();
	}

	@Bean
	@ConditionalOnMissingBean
	MemcachedLockProvider distributedLockProviderMemcached(MemcacheClient<String> client, LockProperties lock) {
		return new MemcachedLockProvider(client, lock.commandTimeout());
	}

}
