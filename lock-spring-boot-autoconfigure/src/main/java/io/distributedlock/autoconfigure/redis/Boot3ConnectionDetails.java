package io.distributedlock.autoconfigure.redis;

import java.util.List;

import io.distributedlock.autoconfigure.connection.ServerAddress;
import io.distributedlock.autoconfigure.redis.RedisTopology.Credentials;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.Node;

/**
 * Reads the bean of connection details of Spring Boot 3, where each kind of servers has
 * the certificates of its own.
 */
final class Boot3ConnectionDetails {

	/**
	 * What Spring Boot makes of the properties. It leaves out what Redisson and Lettuce
	 * need to know of a URL, so the properties are read instead.
	 */
	private static final String OF_PROPERTIES = "org.springframework.boot.autoconfigure.data.redis.PropertiesRedisConnectionDetails";

	private Boot3ConnectionDetails() {
	}

	/**
	 * Return what the bean says; times and the name of the client are those of the
	 * properties.
	 * @return {@code null} if there is none, or if it says what the properties say
	 */
	static @Nullable RedisTopology find(BeanFactory beans, RedisTopology properties) {
		RedisConnectionDetails details = beans.getBeanProvider(RedisConnectionDetails.class).getIfAvailable();
		if (details == null || details.getClass().getName().equals(OF_PROPERTIES)) {
			return null;
		}
		Credentials credentials = Credentials.of(details.getUsername(), details.getPassword());
		RedisConnectionDetails.Sentinel sentinel = details.getSentinel();
		if (sentinel != null) {
			return properties.movedTo(
					new RedisTopology.Sentinels(sentinel.getMaster(), addresses(sentinel.getNodes()),
							Credentials.of(sentinel.getUsername(), sentinel.getPassword())),
					credentials, sentinel.getDatabase(), sentinel.getSslBundle());
		}
		RedisConnectionDetails.Cluster cluster = details.getCluster();
		if (cluster != null) {
			return properties.movedTo(new RedisTopology.Cluster(addresses(cluster.getNodes())), credentials, 0,
					cluster.getSslBundle());
		}
		RedisConnectionDetails.Standalone standalone = details.getStandalone();
		if (standalone != null) {
			return properties.movedTo(
					new RedisTopology.Single(new ServerAddress(standalone.getHost(), standalone.getPort())),
					credentials, standalone.getDatabase(), standalone.getSslBundle());
		}
		return properties.movedTo(null, credentials, 0, null);
	}

	private static List<ServerAddress> addresses(List<Node> nodes) {
		return nodes.stream().map((node) -> new ServerAddress(node.host(), node.port())).toList();
	}

}
