package io.distributedlock.autoconfigure.redis;

import io.distributedlock.autoconfigure.DefaultAddress;

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
	 * Locks need no Spring Data, so the type may be missing.
	 */
	private static final boolean CONNECTION_DETAILS = ClassUtils.isPresent(DETAILS,
			RedisTopologySource.class.getClassLoader());

	private RedisTopologySource() {
	}

	static RedisTopology read(String provider, BeanFactory beans, Environment environment,
			ObjectProvider<SslBundles> sslBundles) {
		RedisTopology properties = RedisTopology.read(environment, sslBundles);
		RedisTopology topology = CONNECTION_DETAILS ? ConnectionDetailsTopology.of(beans, properties) : properties;
		if (topology.equals(properties) && topology.servers() instanceof RedisTopology.Single single) {
			DefaultAddress.report(environment, provider, single.address(), RedisTopology.HOST, RedisTopology.URL);
		}
		return topology;
	}

}
