package io.distributedlock.autoconfigure.redis;

import java.util.List;

import io.distributedlock.autoconfigure.LockConfigurationException;
import io.distributedlock.autoconfigure.ServerAddress;
import io.distributedlock.autoconfigure.redis.RedisTopology.Credentials;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.ssl.SslBundle;

/**
 * Takes servers, credentials and certificates from a bean of connection details.
 */
final class ConnectionDetailsTopology {

	/**
	 * What Spring Boot makes of the properties. It leaves out what Redisson and Lettuce
	 * need to know of a URL, so the properties are read instead.
	 */
	private static final String OF_PROPERTIES = "org.springframework.boot.data.redis.autoconfigure.PropertiesDataRedisConnectionDetails";

	private ConnectionDetailsTopology() {
	}

	/**
	 * Return the topology of the connection details, or that of the properties if there
	 * are none. Times and the name of the client always come from the properties.
	 */
	static RedisTopology of(BeanFactory beans, RedisTopology properties) {
		DataRedisConnectionDetails details = beans.getBeanProvider(DataRedisConnectionDetails.class).getIfAvailable();
		if (details == null || details.getClass().getName().equals(OF_PROPERTIES)) {
			return properties;
		}
		SslBundle bundle = details.getSslBundle();
		return new RedisTopology(servers(details), Credentials.of(details.getUsername(), details.getPassword()),
				database(details), bundle != null, bundle, properties.clientName(), properties.timeout(),
				properties.connectTimeout());
	}

	private static RedisTopology.Servers servers(DataRedisConnectionDetails details) {
		DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
		if (sentinel != null) {
			return new RedisTopology.Sentinels(sentinel.getMaster(), addresses(sentinel.getNodes()),
					Credentials.of(sentinel.getUsername(), sentinel.getPassword()));
		}
		DataRedisConnectionDetails.Cluster cluster = details.getCluster();
		if (cluster != null) {
			return new RedisTopology.Cluster(addresses(cluster.getNodes()));
		}
		DataRedisConnectionDetails.Standalone standalone = details.getStandalone();
		if (standalone != null) {
			return new RedisTopology.Single(new ServerAddress(standalone.getHost(), standalone.getPort()));
		}
		throw new LockConfigurationException(
				"The DataRedisConnectionDetails bean names neither a server nor sentinels nor a cluster, as locks on Redis need it.",
				"Let the bean name one of them; or declare a RedissonClient or a client of Lettuce as a bean.", null);
	}

	private static int database(DataRedisConnectionDetails details) {
		if (details.getSentinel() != null) {
			return details.getSentinel().getDatabase();
		}
		return (details.getStandalone() != null) ? details.getStandalone().getDatabase() : 0;
	}

	private static List<ServerAddress> addresses(List<Node> nodes) {
		return nodes.stream().map((node) -> new ServerAddress(node.host(), node.port())).toList();
	}

}
