package io.distributedlock.autoconfigure.redis;

import java.util.function.Supplier;

import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockConfigurationException;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.redis.RedisLockProvider;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Auto-configuration of locks on Redis through Lettuce. It uses the client of the
 * application's {@link LettuceConnectionFactory} if there is one, otherwise an
 * {@link AbstractRedisClient} bean of the application. Without either it creates a client
 * from {@code spring.data.redis.*}.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class,
		afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnClass({ RedisClient.class, RedisLockProvider.class })
@ConditionalOnLockProvider(RedisLockProvider.NAME)
@EnableConfigurationProperties(LockProperties.class)
public final class RedisLockAutoConfiguration {

	private static RedisLockProvider provider(Supplier<AbstractRedisClient> client, LockProperties properties,
			Environment environment) {
		String prefix = properties.keyPrefix(environment);
		RedisLockProvider provider = new RedisLockProvider(client, properties.getCommandTimeout(), prefix);
		provider.checkAccess(prefix);
		return provider;
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(LettuceConnectionFactory.class)
	@ConditionalOnBean(LettuceConnectionFactory.class)
	static class FromConnectionFactory {

		@Bean
		@ConditionalOnMissingBean
		RedisLockProvider redisLockProvider(LettuceConnectionFactory connectionFactory, LockProperties properties,
				Environment environment) {
			if (connectionFactory.isRunning() || connectionFactory.isAutoStartup()) {
				connectionFactory.start();
			}
			// it has another client after each start
			return provider(() -> client(connectionFactory), properties, environment);
		}

		private static AbstractRedisClient client(LettuceConnectionFactory connectionFactory) {
			AbstractRedisClient client = connectionFactory.getNativeClient();
			if (client == null) {
				throw new LockConfigurationException(
						"The provider 'redis' cannot use the application's LettuceConnectionFactory: it is not started and has no client.",
						"Start it before the LockTemplate bean is created, or declare your own RedisLockProvider bean.",
						null);
			}
			return client;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(type = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory")
	static class FromProperties {

		@Bean(destroyMethod = "shutdown")
		@ConditionalOnMissingBean(AbstractRedisClient.class)
		AbstractRedisClient lockRedisClient(LockProperties properties, Environment environment, BeanFactory beans,
				ObjectProvider<SslBundles> sslBundles) {
			RedisTopology topology = RedisTopologySource.read(beans, environment, sslBundles);
			return LettuceClients.fromTopology(topology, properties.getCommandTimeout());
		}

		@Bean
		@ConditionalOnMissingBean
		RedisLockProvider redisLockProvider(AbstractRedisClient client, LockProperties properties,
				Environment environment) {
			return provider(() -> client, properties, environment);
		}

	}

}
