package io.distributedlock.autoconfigure.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;

import io.distributedlock.autoconfigure.LockConfigurationException;
import org.jspecify.annotations.Nullable;
import org.redisson.config.BaseConfig;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.ClusterServersConfig;
import org.redisson.config.Config;
import org.redisson.config.SentinelServersConfig;
import org.redisson.config.SingleServerConfig;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.core.io.Resource;

/**
 * Makes the configuration of a client that serves locks.
 */
final class RedissonConfigs {

	/**
	 * A client for locks sends short commands and listens to few channels: a fraction of
	 * Redisson's defaults, which are made for a client that does everything.
	 */
	private static final int THREADS = 4;

	private static final int CONNECTIONS = 16;

	private static final int SUBSCRIPTION_CONNECTIONS = 5;

	private static final int SUBSCRIPTIONS_PER_CONNECTION = 20;

	private RedissonConfigs() {
	}

	static Config fromYaml(Resource resource) {
		try (InputStream in = resource.getInputStream()) {
			Config config = Config.fromYAML(in);
			config.setLazyInitialization(true);
			return config;
		}
		catch (IOException | RuntimeException ex) {
			throw new LockConfigurationException(
					"lock.redisson.config: %s cannot be read as a Redisson YAML: %s"
						.formatted(resource.getDescription(), ex.getMessage()),
					"Correct the file or its location, or leave the property out to use spring.data.redis.*.", ex);
		}
	}

	static Config fromSettings(RedisSettings settings, Duration commandTimeout, ObjectProvider<SslBundles> sslBundles) {
		Config config = new Config();
		config.setThreads(THREADS);
		config.setNettyThreads(THREADS);
		// an application starts while Redis is down; its calls fail until Redis is up
		config.setLazyInitialization(true);
		URI url = (settings.url() != null) ? parse(settings.url()) : null;
		boolean ssl = settings.ssl().isOn() || (url != null && "rediss".equals(url.getScheme()));
		setCredentials(config, settings, url);
		if (settings.ssl().bundle() != null) {
			setSsl(config, sslBundles.getObject().getBundle(settings.ssl().bundle()));
		}
		RedisSettings.Sentinel sentinel = settings.sentinel();
		RedisSettings.Cluster cluster = settings.cluster();
		if (url == null && sentinel != null && sentinel.master() != null) {
			setTimes(useSentinel(config, settings, sentinel, ssl), settings, commandTimeout);
		}
		else if (url == null && cluster != null && !cluster.nodes().isEmpty()) {
			ClusterServersConfig servers = config.useClusterServers();
			servers.addNodeAddress(addresses(cluster.nodes(), ssl));
			setPools(servers);
			setTimes(servers, settings, commandTimeout);
		}
		else {
			setTimes(useSingle(config, settings, url, ssl), settings, commandTimeout);
		}
		return config;
	}

	private static void setCredentials(Config config, RedisSettings settings, @Nullable URI url) {
		String username = settings.username();
		String password = settings.password();
		if (url != null && url.getUserInfo() != null) {
			int colon = url.getUserInfo().indexOf(':');
			username = (colon > 0) ? url.getUserInfo().substring(0, colon) : null;
			password = url.getUserInfo().substring(colon + 1);
		}
		if (username != null && !username.isEmpty()) {
			config.setUsername(username);
		}
		if (password != null && !password.isEmpty()) {
			config.setPassword(password);
		}
	}

	private static SingleServerConfig useSingle(Config config, RedisSettings settings, @Nullable URI url, boolean ssl) {
		String host = (url != null) ? url.getHost() : settings.host();
		int port = (url == null) ? settings.port() : (url.getPort() > 0) ? url.getPort() : 6379;
		String path = (url != null) ? url.getPath() : "";
		int database = (path.length() > 1) ? Integer.parseInt(path.substring(1)) : settings.database();
		return config.useSingleServer()
			.setAddress(address(host + ":" + port, ssl))
			.setDatabase(database)
			.setConnectionMinimumIdleSize(1)
			.setConnectionPoolSize(CONNECTIONS)
			.setSubscriptionConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionPoolSize(SUBSCRIPTION_CONNECTIONS);
	}

	private static SentinelServersConfig useSentinel(Config config, RedisSettings settings,
			RedisSettings.Sentinel sentinel, boolean ssl) {
		SentinelServersConfig servers = config.useSentinelServers()
			.setMasterName(sentinel.master())
			.addSentinelAddress(addresses(sentinel.nodes(), ssl))
			.setDatabase(settings.database());
		if (sentinel.username() != null) {
			servers.setSentinelUsername(sentinel.username());
		}
		if (sentinel.password() != null) {
			servers.setSentinelPassword(sentinel.password());
		}
		setPools(servers);
		return servers;
	}

	private static void setPools(BaseMasterSlaveServersConfig<?> servers) {
		servers.setMasterConnectionMinimumIdleSize(1)
			.setMasterConnectionPoolSize(CONNECTIONS)
			.setSlaveConnectionMinimumIdleSize(1)
			.setSlaveConnectionPoolSize(CONNECTIONS)
			.setSubscriptionConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionPoolSize(SUBSCRIPTION_CONNECTIONS);
	}

	private static void setTimes(BaseConfig<?> servers, RedisSettings settings, Duration commandTimeout) {
		// below the time-out of the call, so that the reason shows and not only that time
		// ran out
		int fallback = Math.toIntExact(commandTimeout.toMillis() * 2 / 3);
		servers.setTimeout(millis(settings.timeout(), fallback))
			.setConnectTimeout(millis(settings.connectTimeout(), fallback))
			// a connection that has fallen silent without a word is known after twice
			// that at most, and not after a minute as by default
			.setPingConnectionInterval(Math.toIntExact(commandTimeout.toMillis()))
			.setSubscriptionsPerConnection(SUBSCRIPTIONS_PER_CONNECTION)
			// the wait time bounds the attempts, not a count of them
			.setRetryAttempts(1);
		if (settings.clientName() != null) {
			servers.setClientName(settings.clientName());
		}
	}

	private static void setSsl(Config config, SslBundle bundle) {
		config.setSslTrustManagerFactory(bundle.getManagers().getTrustManagerFactory());
		if (bundle.getStores().getKeyStore() != null) {
			config.setSslKeyManagerFactory(bundle.getManagers().getKeyManagerFactory());
		}
		SslOptions options = bundle.getOptions();
		if (options.getEnabledProtocols() != null) {
			config.setSslProtocols(options.getEnabledProtocols());
		}
		if (options.getCiphers() != null) {
			config.setSslCiphers(options.getCiphers());
		}
	}

	private static URI parse(String url) {
		URI uri = URI.create(url);
		if (uri.getHost() == null || !List.of("redis", "rediss").contains(uri.getScheme())) {
			// the text may carry a password
			throw new LockConfigurationException("spring.data.redis.url is no address of Redis.",
					"Write redis://user:password@host:port/database, or rediss:// for TLS.", null);
		}
		return uri;
	}

	private static int millis(@Nullable Duration duration, int fallback) {
		return (duration != null) ? Math.toIntExact(duration.toMillis()) : fallback;
	}

	private static String[] addresses(List<String> nodes, boolean ssl) {
		return nodes.stream().map((node) -> address(node, ssl)).toArray(String[]::new);
	}

	private static String address(String hostAndPort, boolean ssl) {
		return (ssl ? "rediss://" : "redis://") + hostAndPort;
	}

}
