package io.distributedlock.autoconfigure.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.connection.ServerAddress;
import org.jspecify.annotations.Nullable;
import org.redisson.config.BaseConfig;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.ClusterServersConfig;
import org.redisson.config.Config;
import org.redisson.config.SentinelServersConfig;
import org.redisson.config.SingleServerConfig;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.core.io.Resource;

/**
 * Creates the configuration of Redisson clients for locks.
 */
final class RedissonConfigs {

	/**
	 * Redisson's defaults suit a client for all purposes. A client for locks needs much
	 * less, because it sends only short commands and listens to few channels.
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
			throw new InvalidLockSetupException(
					"lock.redisson.config: %s cannot be read as a YAML file of Redisson: %s"
						.formatted(resource.getDescription(), ex.getMessage()),
					"Correct the file or its location; or remove the property, to use spring.data.redis.* instead.",
					ex);
		}
	}

	static Config fromTopology(RedisTopology topology, Duration commandTimeout) {
		Config config = new Config();
		config.setThreads(THREADS);
		config.setNettyThreads(THREADS);
		// the application starts while Redis is down; its calls fail until Redis is up
		config.setLazyInitialization(true);
		// locks call scripts by their digests, or by their source where a service
		// takes no digests: Redisson would send a digest for that, too
		config.setUseScriptCache(false);
		setCredentials(config, topology.credentials());
		if (topology.sslBundle() != null) {
			setSsl(config, topology.sslBundle());
		}
		setTimes(servers(config, topology), topology, commandTimeout);
		return config;
	}

	private static BaseConfig<?> servers(Config config, RedisTopology topology) {
		RedisTopology.Servers servers = topology.servers();
		if (servers instanceof RedisTopology.ByUrl byUrl) {
			return useUrl(config, topology, byUrl.url());
		}
		if (servers instanceof RedisTopology.Sentinels sentinels) {
			return useSentinels(config, topology, sentinels);
		}
		if (servers instanceof RedisTopology.Cluster cluster) {
			ClusterServersConfig nodes = config.useClusterServers();
			nodes.addNodeAddress(addresses(cluster.addresses(), topology.tls()));
			setPools(nodes);
			return nodes;
		}
		return useSingle(config, ((RedisTopology.Single) servers).address(), topology.database(), topology.tls());
	}

	private static SingleServerConfig useUrl(Config config, RedisTopology topology, String url) {
		try {
			URI uri = URI.create(url);
			if (uri.getHost() == null || !List.of("redis", "rediss").contains(uri.getScheme())) {
				throw RedisTopology.invalidUrl(RedisTopology.URL);
			}
			String user = uri.getUserInfo();
			if (user != null) {
				int colon = user.indexOf(':');
				setCredentials(config, RedisTopology.Credentials.of((colon > 0) ? user.substring(0, colon) : null,
						user.substring(colon + 1)));
			}
			int port = (uri.getPort() > 0) ? uri.getPort() : RedisTopology.PORT;
			String path = uri.getPath();
			int database = (path.length() > 1) ? Integer.parseInt(path.substring(1)) : 0;
			return useSingle(config, new ServerAddress(uri.getHost(), port), database, topology.tls());
		}
		catch (IllegalArgumentException ex) {
			throw RedisTopology.invalidUrl(RedisTopology.URL);
		}
	}

	private static SingleServerConfig useSingle(Config config, ServerAddress address, int database, boolean tls) {
		return config.useSingleServer()
			.setAddress(url(address, tls))
			.setDatabase(database)
			.setConnectionMinimumIdleSize(1)
			.setConnectionPoolSize(CONNECTIONS)
			.setSubscriptionConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionPoolSize(SUBSCRIPTION_CONNECTIONS);
	}

	private static SentinelServersConfig useSentinels(Config config, RedisTopology topology,
			RedisTopology.Sentinels sentinels) {
		SentinelServersConfig servers = config.useSentinelServers()
			.setMasterName(sentinels.master())
			.addSentinelAddress(addresses(sentinels.addresses(), topology.tls()))
			.setDatabase(topology.database());
		RedisTopology.Credentials credentials = sentinels.credentials();
		if (credentials != null) {
			servers.setSentinelUsername(credentials.username()).setSentinelPassword(credentials.password());
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

	private static void setTimes(BaseConfig<?> servers, RedisTopology topology, Duration commandTimeout) {
		// shorter than the command time-out of the engine, so that Redisson's own error,
		// which names the cause, arrives before the engine's time-out
		Duration fallback = commandTimeout.multipliedBy(2).dividedBy(3);
		servers.setTimeout(millis(Objects.requireNonNullElse(topology.timeout(), fallback)))
			.setConnectTimeout(millis(Objects.requireNonNullElse(topology.connectTimeout(), fallback)))
			// a connection that is broken without any sign is noticed after two intervals
			// at most; Redisson's default would need a minute
			.setPingConnectionInterval(millis(commandTimeout))
			.setSubscriptionsPerConnection(SUBSCRIPTIONS_PER_CONNECTION)
			// the wait time of the call limits the attempts, not their number
			.setRetryAttempts(1);
		if (topology.clientName() != null) {
			servers.setClientName(topology.clientName());
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

	private static void setCredentials(Config config, RedisTopology.@Nullable Credentials credentials) {
		if (credentials != null) {
			config.setUsername(credentials.username()).setPassword(credentials.password());
		}
	}

	/**
	 * Return a time as Redisson takes it, which is 24 days at most.
	 */
	private static int millis(Duration duration) {
		return (int) Math.min(duration.toMillis(), Integer.MAX_VALUE);
	}

	private static String[] addresses(List<ServerAddress> addresses, boolean tls) {
		return addresses.stream().map((address) -> url(address, tls)).toArray(String[]::new);
	}

	private static String url(ServerAddress address, boolean tls) {
		return (tls ? "rediss://" : "redis://") + address;
	}

}
