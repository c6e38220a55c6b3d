package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.autoconfigure.LockConfigurationException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Makes clients that serve locks.
 */
final class LettuceClients {

	private LettuceClients() {
	}

	static AbstractRedisClient fromSettings(RedisSettings settings, Duration commandTimeout,
			ObjectProvider<SslBundles> sslBundles) {
		String bundleName = settings.ssl().bundle();
		SslBundle bundle = (bundleName != null) ? sslBundles.getObject().getBundle(bundleName) : null;
		Duration connectTimeout = (settings.connectTimeout() != null) ? settings.connectTimeout() : commandTimeout;
		RedisSettings.Cluster cluster = settings.cluster();
		if (settings.url() == null && cluster != null && !cluster.nodes().isEmpty()) {
			return cluster(settings, cluster.nodes(), bundle, connectTimeout);
		}
		RedisClient client = RedisClient.create(uri(settings));
		client.setOptions(configure(ClientOptions.builder(), bundle, connectTimeout).build());
		return client;
	}

	static RedisClient fromUrl(String property, String url, Duration connectTimeout, @Nullable SslBundle bundle) {
		RedisClient client = RedisClient.create(parse(property, url));
		client.setOptions(configure(ClientOptions.builder(), bundle, connectTimeout).build());
		return client;
	}

	private static RedisClusterClient cluster(RedisSettings settings, List<String> nodes, @Nullable SslBundle bundle,
			Duration connectTimeout) {
		RedisClusterClient client = RedisClusterClient
			.create(nodes.stream().map((node) -> complete(address(node), settings)).toList());
		ClusterClientOptions.Builder options = ClusterClientOptions.builder();
		configure(options, bundle, connectTimeout);
		client.setOptions(options.build());
		return client;
	}

	private static RedisURI uri(RedisSettings settings) {
		if (settings.url() != null) {
			RedisURI uri = parse("spring.data.redis.url", settings.url());
			return complete(uri, settings.url().contains("@"), settings);
		}
		RedisSettings.Sentinel sentinel = settings.sentinel();
		if (sentinel == null || sentinel.master() == null) {
			return complete(RedisURI.Builder.redis(settings.host(), settings.port()), settings);
		}
		RedisURI.Builder builder = RedisURI.builder().withSentinelMasterId(sentinel.master());
		for (String node : sentinel.nodes()) {
			builder.withSentinel(sentinelNode(node, sentinel, settings.ssl().isOn()));
		}
		return complete(builder, settings);
	}

	/**
	 * Add to a URL what it leaves out. Encryption that is asked for in either place is
	 * not left out: the password would be sent in the clear.
	 */
	private static RedisURI complete(RedisURI url, boolean namesCredentials, RedisSettings settings) {
		if (settings.ssl().isOn()) {
			url.setSsl(true);
		}
		String password = settings.password();
		if (password != null && !password.isEmpty() && !namesCredentials) {
			String username = settings.username();
			url.setAuthentication((username != null && !username.isEmpty()) ? username : null, password.toCharArray());
		}
		if (settings.clientName() != null) {
			url.setClientName(settings.clientName());
		}
		return url;
	}

	private static RedisURI sentinelNode(String node, RedisSettings.Sentinel sentinel, boolean ssl) {
		RedisURI.Builder builder = address(node).withSsl(ssl);
		authenticate(builder, sentinel.username(), sentinel.password());
		return builder.build();
	}

	private static RedisURI complete(RedisURI.Builder builder, RedisSettings settings) {
		authenticate(builder, settings.username(), settings.password());
		builder.withDatabase(settings.database()).withSsl(settings.ssl().isOn());
		if (settings.clientName() != null) {
			builder.withClientName(settings.clientName());
		}
		return builder.build();
	}

	private static void authenticate(RedisURI.Builder builder, @Nullable String username, @Nullable String password) {
		if (password == null || password.isEmpty()) {
			return;
		}
		if (username != null && !username.isEmpty()) {
			builder.withAuthentication(username, password.toCharArray());
		}
		else {
			builder.withPassword(password.toCharArray());
		}
	}

	private static <B extends ClientOptions.Builder> B configure(B options, @Nullable SslBundle bundle,
			Duration connectTimeout) {
		// a command that waits for the server to come back would be executed long after
		// its call has ended
		options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS);
		options.socketOptions(SocketOptions.builder().connectTimeout(connectTimeout).keepAlive(true).build());
		if (bundle != null) {
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
			options.sslOptions(ssl.build());
		}
		return options;
	}

	private static RedisURI.Builder address(String hostAndPort) {
		int colon = hostAndPort.lastIndexOf(':');
		return (colon > 0) ? RedisURI.Builder.redis(hostAndPort.substring(0, colon),
				Integer.parseInt(hostAndPort.substring(colon + 1))) : RedisURI.Builder.redis(hostAndPort);
	}

	private static RedisURI parse(String property, String url) {
		try {
			return RedisURI.create(url);
		}
		catch (IllegalArgumentException ex) {
			// the text may carry a password, and so may the cause
			throw new LockConfigurationException("%s is no address of Redis.".formatted(property),
					"Write redis://user:password@host:port/database, or rediss:// for TLS.", null);
		}
	}

}
