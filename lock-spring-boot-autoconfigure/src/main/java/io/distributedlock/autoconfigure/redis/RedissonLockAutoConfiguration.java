package io.distributedlock.autoconfigure.redis;

import java.util.Objects;

import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.autoconfigure.connection.ChosenBean;
import io.distributedlock.redisson.RedissonLockProvider;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/**
 * Auto-configuration of locks on Redis through Redisson. It uses the application's
 * {@link RedissonClient} if there is one. Otherwise it creates a client from
 * {@code lock.redisson.config} or, if that is not set, from {@code spring.data.redis.*}.
 * The application's Redis connection factory is not touched.
 *
 * @since 0.1
 */
// late, so that other auto-configurations can define a RedissonClient first
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE - 10)
// by name too: an application's auto-configuration that comes after the template draws
// this forward
@AutoConfiguration(before = DistributedLockAutoConfiguration.class,
		afterName = { "org.redisson.spring.starter.RedissonAutoConfiguration",
				"org.redisson.spring.starter.RedissonAutoConfigurationV2",
				"org.redisson.spring.starter.RedissonAutoConfigurationV4" })
@ConditionalOnClass({ Redisson.class, RedissonLockProvider.class })
@ConditionalOnLockProvider(RedissonLockProvider.NAME)
@EnableConfigurationProperties(LockProperties.class)
public final class RedissonLockAutoConfiguration {

	@Bean(destroyMethod = "shutdown")
	@ConditionalOnMissingBean(RedissonClient.class)
	RedissonClient distributedLockRedissonClient(LockProperties properties, Environment environment,
			ResourceLoader resources, BeanFactory beans, ObjectProvider<SslBundles> sslBundles) {
		String location = properties.redisson().config();
		if (location != null) {
			return RedissonClients.create(RedissonConfigs.fromYaml(resources.getResource(location)));
		}
		RedisTopology topology = RedisTopologySource.read(RedissonLockProvider.NAME, beans, environment, sslBundles);
		return RedissonClients.create(RedissonConfigs.fromTopology(topology, properties.commandTimeout()));
	}

	@Bean
	@ConditionalOnMissingBean
	RedissonLockProvider distributedLockProviderRedisson(ObjectProvider<RedissonClient> redissonClient,
			LockProperties properties, Environment environment) {
		RedissonClient client = ChosenBean.of(RedissonLockProvider.NAME, RedissonClient.class, redissonClient,
				"declare a RedissonLockProvider bean, and choose the one for it by @Qualifier");
		RedissonLockProvider provider = new RedissonLockProvider(Objects.requireNonNull(client));
		provider.checkAccess(properties.keyPrefix(environment));
		return provider;
	}

}
