package io.distributedlock.autoconfigure.redis;

import java.util.Objects;
import java.util.function.Supplier;

import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.autoconfigure.connection.ChosenBean;
import io.distributedlock.redis.RedisLockProvider;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration of locks on Redis through Lettuce. It uses the client of the
 * application's {@code LettuceConnectionFactory} if there is one, otherwise an
 * {@link AbstractRedisClient} bean of the application. Without either it creates a client
 * from {@code spring.data.redis.*}.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class,
		afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
				"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration" })
@ConditionalOnClass({ RedisClient.class, RedisLockProvider.class })
@ConditionalOnLockProvider(RedisLockProvider.NAME)
@EnableConfigurationProperties(LockProperties.class)
public final class RedisLockAutoConfiguration {

	private static final String CONNECTION_FACTORY = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

	/**
	 * What to do if none of several beans shall be primary.
	 */
	static final String OWN_PROVIDER = "declare a RedisLockProvider bean, and choose the one for it by @Qualifier";

	/**
	 * Locks need no Spring Data, so the type may be missing.
	 */
	private static final boolean SPRING_DATA = ClassUtils.isPresent(CONNECTION_FACTORY,
			RedisLockAutoConfiguration.class.getClassLoader());

	// lazy: a connection factory that is declared by its interface is only known once it
	// has been created
	@Bean(destroyMethod = "shutdown")
	@Lazy
	@ConditionalOnMissingBean(value = AbstractRedisClient.class, type = CONNECTION_FACTORY)
	AbstractRedisClient distributedLockRedisClient(LockProperties properties, Environment environment,
			BeanFactory beans, ObjectProvider<SslBundles> sslBundles) {
		RedisTopology topology = RedisTopologySource.read(RedisLockProvider.NAME, beans, environment, sslBundles);
		return LettuceClients.fromTopology(topology, properties.commandTimeout());
	}

	@Bean
	@ConditionalOnMissingBean
	RedisLockProvider distributedLockProviderRedis(ConfigurableListableBeanFactory beans,
			ObjectProvider<AbstractRedisClient> clients, LockProperties properties, Environment environment) {
		Supplier<AbstractRedisClient> client = SPRING_DATA ? ConnectionFactories.client(beans, environment) : null;
		if (client == null) {
			AbstractRedisClient only = Objects.requireNonNull(
					ChosenBean.of(RedisLockProvider.NAME, AbstractRedisClient.class, clients, OWN_PROVIDER));
			client = () -> only;
		}
		String prefix = properties.keyPrefix(environment);
		RedisLockProvider provider = new RedisLockProvider(client, properties.commandTimeout(), prefix);
		provider.checkAccess(prefix);
		return provider;
	}

}
