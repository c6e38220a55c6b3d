package io.distributedlock.autoconfigure.redis;

import java.util.List;

import io.distributedlock.autoconfigure.connection.ServerAddress;
import io.distributedlock.autoconfigure.redis.RedisTopology.Credentials;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.ssl.SslBundle;

/**
 * Reads the bean of connection details of Spring Boot 4.
 */
final class Boot4ConnectionDetails {

	/**
	 * What Spring Boot makes of the properties. It leaves out what Redisson and Lettuce
	 * need to know of a URL, so the properties are read instead.
	 */
	private static final String OF_PROPERTIES = "org.springframework.boot.data.redis.autoconfigure.PropertiesDataRedisConnectionDetails";

	private Boot4ConnectionDetails() {
	}

	/**
	 * Return what the bean says; times and the name of the client are those of the
	 * properties.
	 * @return {@code null} if there is none, or if it says what the properties say
	 */
	static @Nullable RedisTopology find(BeanFactory beans, RedisTopology properties) {
		DataRedisConnectionDetails details = beans.getBeanProvider(DataRedisConnectionDetails.class).getIfAvailable();
		if (details == null || details.getClass().getName().equals(OF_PROPERTIES)) {
			return null;
		}
		Credentials credentials = Credentials.of(details.getUsername(), details.getPassword());
		SslBundle bundle = details.getSslBundle();
		DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
		if (sentinel != null) {
			return properties.movedTo(
					new RedisTopology.Sentinels(sentinel.getMaster(), addresses(sentinel.getNodes()),
							Credentials.of(sentinel.getUsername(), sentinel.getPassword())),
					credentials, sentinel.getDatabase(), bundle);
		}
		DataRedisConnectionDetails.Cluster cluster = details.getCluster();
		if (cluster != null) {
			return properties.movedTo(new RedisTopology.Cluster(addresses(cluster.getNodes())), credentials, 0, bundle);
		}
		DataRedisConnectionDetails.Standalone standalone = details.getStandalone();
		if (standalone != null) {
			return properties.movedTo(
					new RedisTopology.Single(new ServerAddress(standalone.getHost(), standalone.getPort())),
					credentials, standalone.getDatabase(), bundle);
		}
		return properties.movedTo(null, credentials, 0, bundle);
	}

	private static List<ServerAddress> addresses(List<Node> nodes) {
		return nodes.stream().map((node) -> new ServerAddress(node.host(), node.port())).toList();
	}

}
