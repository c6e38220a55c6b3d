package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code spring.data.redis.*} that say where Redis is, as they are
 * written. They are bound here because an application may use locks without Spring Data,
 * which owns these properties. {@link RedisTopology} says what they mean together.
 *
 * @param host the host
 * @param port the port
 * @param url a URL, which overrides host, port, sentinels and cluster
 * @param username the user
 * @param password the password
 * @param database the number of the database
 * @param timeout how long a command may take
 * @param connectTimeout how long it may take to connect
 * @param clientName the name that connections report to the server
 * @param ssl the settings of TLS
 * @param sentinel the sentinels
 * @param cluster the cluster
 * @param masterreplica a primary and its replicas
 */
record RedisSettings(@DefaultValue("localhost") String host, @DefaultValue("6379") int port, @Nullable String url,
		@Nullable String username, @Nullable String password, @DefaultValue("0") int database,
		@Nullable Duration timeout, @Nullable Duration connectTimeout, @Nullable String clientName,
		@DefaultValue Ssl ssl, @Nullable Sentinel sentinel, @Nullable Cluster cluster,
		@Nullable Masterreplica masterreplica) {

	/**
	 * The settings of TLS.
	 *
	 * @param enabled whether connections use TLS; by default they do if a bundle is named
	 * @param bundle the name of an SSL bundle
	 */
	record Ssl(@Nullable Boolean enabled, @Nullable String bundle) {

		boolean isOn() {
			return (this.enabled != null) ? this.enabled : this.bundle != null;
		}

	}

	/**
	 * The sentinels.
	 *
	 * @param master the name of the master that they watch
	 * @param nodes host and port of each sentinel
	 * @param username the user for the sentinels
	 * @param password the password for the sentinels
	 */
	record Sentinel(@Nullable String master, @DefaultValue List<String> nodes, @Nullable String username,
			@Nullable String password) {

		@Override
		public String toString() {
			return "Sentinel[master=%s, nodes=%s]".formatted(this.master, this.nodes);
		}

	}

	/**
	 * The cluster.
	 *
	 * @param nodes host and port of some of its nodes
	 */
	record Cluster(@DefaultValue List<String> nodes) {
	}

	/**
	 * A primary and its replicas.
	 *
	 * @param nodes host and port of each of them
	 */
	record Masterreplica(@DefaultValue List<String> nodes) {
	}

	@Override
	public String toString() {
		// without URL and passwords
		return "RedisSettings[host=%s, port=%s, database=%s]".formatted(this.host, this.port, this.database);
	}

}
