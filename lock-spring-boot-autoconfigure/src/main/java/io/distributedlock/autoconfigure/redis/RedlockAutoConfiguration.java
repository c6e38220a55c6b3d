package io.distributedlock.autoconfigure.redis;

import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.autoconfigure.connection.NamedSslBundle;
import io.distributedlock.redis.RedlockProvider;
import io.lettuce.core.RedisClient;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of Redlock: locks on a majority of independent Redis servers.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ RedisClient.class, RedlockProvider.class })
@ConditionalOnLockProvider(value = RedlockProvider.NAME, named = true)
@EnableConfigurationProperties({ LockProperties.class, RedlockProperties.class })
public final class RedlockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(RedlockProvider.class)
	RedlockClients distributedLockRedlockClients(LockProperties lock, RedlockProperties properties,
			ObjectProvider<SslBundles> sslBundles) {
		List<String> nodes = properties.nodes();
		if (nodes.size() < 3) {
			throw new InvalidLockSetupException(
					"lock.redis.redlock.nodes contains %s addresses, but the provider 'redlock' needs at least three servers."
						.formatted(nodes.size()),
					"List three or five independent Redis servers; or set lock.provider=redis for a single server.",
					null);
		}
		SslBundle bundle = NamedSslBundle.get("lock.redis.redlock.ssl-bundle", properties.sslBundle(), sslBundles);
		return new RedlockClients(IntStream.range(0, nodes.size())
			.mapToObj((i) -> LettuceClients.fromUrl("lock.redis.redlock.nodes[%s]".formatted(i), nodes.get(i),
					lock.commandTimeout(), bundle))
			.toList());
	}

	@Bean
	@ConditionalOnMissingBean
	RedlockProvider distributedLockProviderRedlock(RedlockClients clients, RedlockProperties properties) {
		if (properties.nodeTimeout().isNegative() || properties.nodeTimeout().isZero()) {
			throw new InvalidLockSetupException(
					"lock.redis.redlock.node-timeout must be positive but is " + properties.nodeTimeout(),
					"Set lock.redis.redlock.node-timeout to a time such as 100ms.", null);
		}
		return new RedlockProvider(clients.clients(), properties.nodeTimeout());
	}

	/**
	 * The clients in one bean. They are not beans themselves, because the application
	 * must not inject one of them as its own client.
	 *
	 * @param clients one client for each server
	 */
	record RedlockClients(List<RedisClient> clients) implements DisposableBean {

		@Override
		public void destroy() {
			this.clients.forEach(RedisClient::shutdown);
		}

	}

}
