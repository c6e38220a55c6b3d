package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What of {@code spring.data.redis.*} says where Redis is. Bound here because an
 * application that only locks has no Spring Data, whose properties these are.
 *
 * @param host the host
 * @param port the port
 * @param url an address that overrides host, port, credentials and database
 * @param username the user
 * @param password the password
 * @param database the database
 * @param timeout how long a command may take
 * @param connectTimeout how long connecting may take
 * @param clientName the name that connections give themselves
 * @param ssl encryption
 * @param sentinel the sentinels
 * @param cluster the cluster
 */
record RedisSettings(@DefaultValue("localhost") String host, @DefaultValue("6379") int port, @Nullable String url,
		@Nullable String username, @Nullable String password, @DefaultValue("0") int database,
		@Nullable Duration timeout, @Nullable Duration connectTimeout, @Nullable String clientName,
		@DefaultValue Ssl ssl, @Nullable Sentinel sentinel, @Nullable Cluster cluster) {

	/**
	 * Encryption.
	 *
	 * @param enabled whether connections are encrypted; by default if a bundle is named
	 * @param bundle the name of an SSL bundle
	 */
	record Ssl(@Nullable Boolean enabled, @Nullable String bundle) {

		boolean isOn() {
			return (this.enabled != null) ? this.enabled : this.bundle != null;
		}

	}

	/**
	 * Sentinels.
	 *
	 * @param master the name of the master
	 * @param nodes host and port of each
	 * @param username the user for the sentinels
	 * @param password the password for the sentinels
	 */
	record Sentinel(@Nullable String master, @DefaultValue List<String> nodes, @Nullable String username,
			@Nullable String password) {
	}

	/**
	 * A cluster.
	 *
	 * @param nodes host and port of some of its nodes
	 */
	record Cluster(@DefaultValue List<String> nodes) {
	}

	@Override
	public String toString() {
		return "RedisSettings[host=%s, port=%d, database=%d]".formatted(this.host, this.port, this.database);
	}

}
