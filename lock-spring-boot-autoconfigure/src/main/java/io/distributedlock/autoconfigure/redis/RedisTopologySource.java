package io.distributedlock.autoconfigure.redis;

import java.util.Objects;

import io.distributedlock.autoconfigure.connection.DefaultAddress;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Where the application says that its Redis is: in a bean of connection details, as
 * service connections, Docker Compose and Testcontainers make it, or else in
 * {@code spring.data.redis.*}.
 */
final class RedisTopologySource {

	/**
	 * The type of the bean of connection details.
	 */
	static final String DETAILS = "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails";

	/**
	 * The same in Spring Boot 3.
	 */
	static final String BOOT_3_DETAILS = "org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails";

	private RedisTopologySource() {
	}

	static RedisTopology read(String provider, BeanFactory beans, Environment environment,
			ObjectProvider<SslBundles> sslBundles) {
		RedisTopology properties = RedisTopology.read(environment, sslBundles);
		RedisTopology topology = Objects.requireNonNullElse(details(beans, properties), properties);
		if (topology.equals(properties) && topology.servers() instanceof RedisTopology.Single single) {
			DefaultAddress.report(environment, provider, single.address(), RedisTopology.HOST, RedisTopology.URL);
		}
		return topology;
	}

	private static @Nullable RedisTopology details(BeanFactory beans, RedisTopology properties) {
		if (isPresent(DETAILS)) {
			return Boot4ConnectionDetails.find(beans, properties);
		}
		return isPresent(BOOT_3_DETAILS) ? Boot3ConnectionDetails.find(beans, properties) : null;
	}

	/**
	 * Return whether a type is there. Locks need no Spring Data, so it may be missing.
	 */
	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, RedisTopologySource.class.getClassLoader());
	}

}
