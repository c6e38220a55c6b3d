package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.connection.NamedSslBundle;
import io.distributedlock.autoconfigure.connection.ServerAddress;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/**
 * Where Redis is and how to connect to it, independent of the client library. This is the
 * only place that decides which of the properties {@code spring.data.redis.*} count;
 * {@link RedissonConfigs} and {@link LettuceClients} only translate the result.
 *
 * @param servers which servers to connect to
 * @param credentials the credentials for Redis; {@code null} if there are none, or if a
 * URL names them
 * @param database the number of the database, unless a URL names it
 * @param tls whether connections use TLS
 * @param sslBundle the certificates for TLS; {@code null} for those of the JVM
 * @param clientName the name that connections report to the server
 * @param timeout how long a command may take; {@code null} if it is not set
 * @param connectTimeout how long it may take to connect; {@code null} if it is not set
 */
record RedisTopology(Servers servers, @Nullable Credentials credentials, int database, boolean tls,
		@Nullable SslBundle sslBundle, @Nullable String clientName, @Nullable Duration timeout,
		@Nullable Duration connectTimeout) {

	static final String URL = "spring.data.redis.url";

	static final String HOST = "spring.data.redis.host";

	static final int PORT = 6379;

	private static final String PROPERTIES = "spring.data.redis";

	/**
	 * Read {@code spring.data.redis.*}. As in Spring Boot, sentinels come before a
	 * cluster, and a cluster before a single server. A URL comes before all of them, and
	 * overrides user, password and database, also by what it leaves out.
	 */
	static RedisTopology read(Environment environment, ObjectProvider<SslBundles> sslBundles) {
		RedisSettings settings = Binder.get(environment).bindOrCreate(PROPERTIES, Bindable.of(RedisSettings.class));
		if (settings.database() < 0) {
			throw new InvalidLockSetupException(
					"spring.data.redis.database is %s, which is no database of Redis.".formatted(settings.database()),
					"Set spring.data.redis.database to a number from 0.", null);
		}
		String url = settings.url();
		return new RedisTopology(servers(settings),
				(url != null) ? null : Credentials.of(settings.username(), settings.password()),
				(url != null) ? 0 : settings.database(),
				settings.ssl().isOn() || (url != null && url.startsWith("rediss:")),
				NamedSslBundle.get(PROPERTIES + ".ssl.bundle", settings.ssl().bundle(), sslBundles),
				settings.clientName(), settings.timeout(), settings.connectTimeout());
	}

	/**
	 * Return the same for the servers that a bean of connection details names.
	 * @param named the servers; {@code null} if it names a primary with replicas only
	 * @param bundle the certificates for TLS; {@code null} without TLS
	 */
	RedisTopology movedTo(@Nullable Servers named, @Nullable Credentials signIn, int number,
			@Nullable SslBundle bundle) {
		if (named == null) {
			throw new InvalidLockSetupException(
					"The bean of connection details for Redis names neither a server nor sentinels nor a cluster, as locks on Redis need it.",
					"Let the bean name one of them; or declare a RedissonClient or a client of Lettuce as a bean.",
					null);
		}
		return new RedisTopology(named, signIn, number, bundle != null, bundle, this.clientName, this.timeout,
				this.connectTimeout);
	}

	/**
	 * Say that a URL cannot be read. Neither the URL nor a cause is shown: both may
	 * contain the password.
	 */
	static InvalidLockSetupException invalidUrl(String property) {
		return new InvalidLockSetupException("%s is not a valid URL of Redis.".formatted(property),
				"Write redis://user:password@host:port/database, or rediss:// for TLS, with a host that Java accepts: no underscore, and no last part that begins with a digit.",
				null);
	}

	/**
	 * Refuse a list of nodes of which the primary is not known. Spring Data and Lettuce
	 * ask the nodes once, and go on with the former primary after a failover.
	 */
	static InvalidLockSetupException unknownPrimary(String subject) {
		return new InvalidLockSetupException(
				"Locks on Redis need the primary, and %s not say which node that is.".formatted(subject),
				"Set spring.data.redis.sentinel.*, which follows a failover; or spring.data.redis.url, which comes before that list here, to the primary; or declare a RedissonClient, or a RedisLockProvider with a client, for the primary.",
				null);
	}

	private static Servers servers(RedisSettings settings) {
		if (settings.url() != null) {
			return new ByUrl(settings.url());
		}
		RedisSettings.Sentinel sentinel = settings.sentinel();
		if (sentinel != null) {
			if (sentinel.master() == null || sentinel.nodes().isEmpty()) {
				throw new InvalidLockSetupException(
						"spring.data.redis.sentinel.master or spring.data.redis.sentinel.nodes is not set.",
						"Set spring.data.redis.sentinel.master, and list the sentinels in spring.data.redis.sentinel.nodes, each as host:port.",
						null);
			}
			return new Sentinels(sentinel.master(), addresses("sentinel.nodes", sentinel.nodes()),
					Credentials.of(sentinel.username(), sentinel.password()));
		}
		RedisSettings.Cluster cluster = settings.cluster();
		if (cluster != null && !cluster.nodes().isEmpty()) {
			return new Cluster(addresses("cluster.nodes", cluster.nodes()));
		}
		RedisSettings.Masterreplica masterreplica = settings.masterreplica();
		if (masterreplica != null && !masterreplica.nodes().isEmpty()) {
			throw unknownPrimary("spring.data.redis.masterreplica.nodes does");
		}
		return new Single(ServerAddress.of(PROPERTIES + ".port", settings.host(), settings.port()));
	}

	private static List<ServerAddress> addresses(String property, List<String> nodes) {
		return nodes.stream().map((node) -> ServerAddress.parse(PROPERTIES + "." + property, node, PORT)).toList();
	}

	/**
	 * Which servers to connect to.
	 */
	sealed interface Servers permits ByUrl, Sentinels, Cluster, Single {

	}

	/**
	 * What a URL names. Each client library parses it itself, because Lettuce accepts
	 * more URLs than Redisson: those of sentinels and sockets too.
	 *
	 * @param url the URL, which may contain a password
	 */
	record ByUrl(String url) implements Servers {

		@Override
		public String toString() {
			return "ByUrl";
		}

	}

	/**
	 * The master that sentinels watch.
	 *
	 * @param master the name of the master
	 * @param addresses the addresses of the sentinels
	 * @param credentials the credentials for the sentinels
	 */
	record Sentinels(String master, List<ServerAddress> addresses,
			@Nullable Credentials credentials) implements Servers {

	}

	/**
	 * A cluster.
	 *
	 * @param addresses the addresses of some of its nodes
	 */
	record Cluster(List<ServerAddress> addresses) implements Servers {

	}

	/**
	 * A single server.
	 *
	 * @param address its address
	 */
	record Single(ServerAddress address) implements Servers {

	}

	/**
	 * A password, and the user that it belongs to.
	 *
	 * @param username the user; {@code null} for the default user of Redis
	 * @param password the password
	 */
	record Credentials(@Nullable String username, String password) {

		static @Nullable Credentials of(@Nullable String username, @Nullable String password) {
			if (password == null || password.isEmpty()) {
				return null;
			}
			return new Credentials((username != null && !username.isEmpty()) ? username : null, password);
		}

		@Override
		public String toString() {
			return "Credentials[username=%s]".formatted(this.username);
		}

	}

}
