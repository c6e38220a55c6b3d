package io.distributedlock.autoconfigure.redis;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.connection.ChosenBean;
import io.distributedlock.autoconfigure.connection.DefaultAddress;
import io.distributedlock.autoconfigure.connection.ServerAddress;
import io.distributedlock.redis.RedisLockProvider;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.RedisCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Finds the client of the application's {@link LettuceConnectionFactory}. Its bean may be
 * declared by an interface, so only the object tells what it is.
 */
final class ConnectionFactories {

	private ConnectionFactories() {
	}

	/**
	 * Return what gives the client, which is another one after each start of the factory.
	 * @return {@code null} if the application has no such factory
	 */
	static @Nullable Supplier<AbstractRedisClient> client(ConfigurableListableBeanFactory beans,
			Environment environment) {
		LettuceConnectionFactory factory = chosen(beans);
		if (factory == null) {
			return null;
		}
		if (factory.isRunning() || factory.isAutoStartup()) {
			factory.start();
		}
		requireAddress(client(factory));
		if ("localhost".equals(factory.getHostName()) && factory.getSocketConfiguration() == null
				&& !factory.isClusterAware() && !factory.isRedisSentinelAware()) {
			DefaultAddress.report(environment, RedisLockProvider.NAME,
					new ServerAddress(factory.getHostName(), factory.getPort()), RedisTopology.HOST, RedisTopology.URL);
		}
		return () -> client(factory);
	}

	private static @Nullable LettuceConnectionFactory chosen(ConfigurableListableBeanFactory beans) {
		Map<String, LettuceConnectionFactory> found = new TreeMap<>();
		Stream.of(RedisConnectionFactory.class, ReactiveRedisConnectionFactory.class)
			.flatMap((type) -> Stream.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, false, true)))
			.filter((name) -> isCandidate(definition(beans, name)))
			.forEach((name) -> {
				if (beans.getBean(name) instanceof LettuceConnectionFactory factory) {
					found.put(name, factory);
				}
			});
		if (found.size() > 1) {
			Map<String, LettuceConnectionFactory> all = Map.copyOf(found);
			found.keySet().removeIf((name) -> !isPrimary(definition(beans, name)));
			if (found.size() != 1) {
				throw ChosenBean.several(RedisLockProvider.NAME, LettuceConnectionFactory.class, all.keySet(),
						RedisLockAutoConfiguration.OWN_PROVIDER);
			}
		}
		return found.isEmpty() ? null : found.values().iterator().next();
	}

	private static @Nullable BeanDefinition definition(ConfigurableListableBeanFactory beans, String name) {
		try {
			return beans.getMergedBeanDefinition(name);
		}
		catch (NoSuchBeanDefinitionException ex) {
			// registered as an object
			return null;
		}
	}

	private static boolean isCandidate(@Nullable BeanDefinition definition) {
		return definition == null || (definition.isAutowireCandidate()
				&& (!(definition instanceof AbstractBeanDefinition each) || each.isDefaultCandidate()));
	}

	private static boolean isPrimary(@Nullable BeanDefinition definition) {
		return definition != null && definition.isPrimary();
	}

	/**
	 * Require a client with an address of its own. That of a primary with replicas has
	 * none, so it cannot connect. Lettuce looks at the address before the missing codec.
	 */
	private static void requireAddress(AbstractRedisClient client) {
		try {
			if (client instanceof RedisClient single) {
				single.connect((RedisCodec<?, ?>) null);
			}
		}
		catch (IllegalStateException ex) {
			throw RedisTopology.unknownPrimary(
					"the LettuceConnectionFactory, which has a list such as spring.data.redis.masterreplica.nodes, does");
		}
		catch (IllegalArgumentException ex) {
			// the codec: there is an address
		}
	}

	private static AbstractRedisClient client(LettuceConnectionFactory factory) {
		AbstractRedisClient client = factory.getNativeClient();
		if (client == null) {
			throw new InvalidLockSetupException(
					"The provider 'redis' cannot use the application's LettuceConnectionFactory: it is not started and has no client.",
					"Start it before the LockTemplate bean is created, or declare your own RedisLockProvider bean.",
					null);
		}
		return client;
	}

}
