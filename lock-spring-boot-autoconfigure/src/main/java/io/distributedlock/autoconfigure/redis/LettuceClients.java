package io.distributedlock.autoconfigure.redis;

import java.net.URI;
import java.time.Duration;

import io.distributedlock.autoconfigure.connection.ServerAddress;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;

/**
 * Creates Lettuce clients for locks.
 */
final class LettuceClients {

	private LettuceClients() {
	}

	static AbstractRedisClient fromTopology(RedisTopology topology, Duration commandTimeout) {
		Duration connectTimeout = (topology.connectTimeout() != null) ? topology.connectTimeout() : commandTimeout;
		if (topology.servers() instanceof RedisTopology.Cluster cluster) {
			RedisClusterClient client = RedisClusterClient
				.create(cluster.addresses().stream().map((node) -> complete(builder(node), topology)).toList());
			ClusterClientOptions.Builder options = ClusterClientOptions.builder();
			configure(options, topology.sslBundle(), connectTimeout);
			client.setOptions(options.build());
			return client;
		}
		return client(uri(topology), topology.sslBundle(), connectTimeout);
	}

	/**
	 * Create a client for one server.
	 * @param property the property that the URL comes from, for the message if the URL is
	 * not valid
	 */
	static RedisClient fromUrl(String property, String url, Duration connectTimeout, @Nullable SslBundle bundle) {
		return client(parse(property, url), bundle, connectTimeout);
	}

	private static RedisClient client(RedisURI uri, @Nullable SslBundle bundle, Duration connectTimeout) {
		RedisClient client = RedisClient.create(uri);
		ClientOptions.Builder options = ClientOptions.builder();
		configure(options, bundle, connectTimeout);
		client.setOptions(options.build());
		return client;
	}

	private static RedisURI uri(RedisTopology topology) {
		RedisTopology.Servers servers = topology.servers();
		if (servers instanceof RedisTopology.ByUrl byUrl) {
			return complete(parse(RedisTopology.URL, byUrl.url()), topology);
		}
		if (servers instanceof RedisTopology.Sentinels sentinels) {
			RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(sentinels.master());
			sentinels.addresses().forEach((address) -> {
				RedisURI.Builder sentinel = builder(address).withSsl(topology.tls());
				authenticate(sentinel, sentinels.credentials());
				uri.withSentinel(sentinel.build());
			});
			return complete(uri, topology);
		}
		return complete(builder(((RedisTopology.Single) servers).address()), topology);
	}

	/**
	 * Add to a URL the name of the client, and TLS if only the properties ask for it:
	 * otherwise the password would be sent unencrypted.
	 */
	private static RedisURI complete(RedisURI url, RedisTopology topology) {
		if (topology.tls()) {
			url.setSsl(true);
		}
		if (topology.clientName() != null) {
			url.setClientName(topology.clientName());
		}
		return url;
	}

	private static RedisURI complete(RedisURI.Builder uri, RedisTopology topology) {
		authenticate(uri, topology.credentials());
		return complete(uri.withDatabase(topology.database()).build(), topology);
	}

	private static void authenticate(RedisURI.Builder uri, RedisTopology.@Nullable Credentials credentials) {
		if (credentials == null) {
			return;
		}
		char[] password = credentials.password().toCharArray();
		if (credentials.username() != null) {
			uri.withAuthentication(credentials.username(), password);
		}
		else {
			uri.withPassword(password);
		}
	}

	private static void configure(ClientOptions.Builder options, @Nullable SslBundle bundle, Duration connectTimeout) {
		// a command that waits until the server is back would be executed long after the
		// call for a lock has ended
		options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS);
		options.socketOptions(SocketOptions.builder().connectTimeout(connectTimeout).keepAlive(true).build());
		if (bundle != null) {
			options.sslOptions(sslOptions(bundle));
		}
	}

	private static SslOptions sslOptions(SslBundle bundle) {
		SslOptions.Builder ssl = SslOptions.builder();
		ssl.trustManager(bundle.getManagers().getTrustManagerFactory());
		if (bundle.getStores().getKeyStore() != null) {
			ssl.keyManager(bundle.getManagers().getKeyManagerFactory());
		}
		if (bundle.getOptions().getEnabledProtocols() != null) {
			ssl.protocols(bundle.getOptions().getEnabledProtocols());
		}
		if (bundle.getOptions().getCiphers() != null) {
			ssl.cipherSuites(bundle.getOptions().getCiphers());
		}
		return ssl.build();
	}

	private static RedisURI.Builder builder(ServerAddress address) {
		return RedisURI.Builder.redis(address.host(), address.port());
	}

	private static RedisURI parse(String property, String url) {
		try {
			// with an underscore it is no host for Java, and Lettuce adds the port to it
			if (url.matches("rediss?:.*") && URI.create(url).getHost() == null) {
				throw RedisTopology.invalidUrl(property);
			}
			return RedisURI.create(url);
		}
		catch (IllegalArgumentException ex) {
			throw RedisTopology.invalidUrl(property);
		}
	}

}
