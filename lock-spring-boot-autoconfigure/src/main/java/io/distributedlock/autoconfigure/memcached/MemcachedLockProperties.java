package io.distributedlock.autoconfigure.memcached;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of locks on Memcached.
 *
 * @param servers Hosts and ports of the servers, such as "mc1:11211"; by default
 * "localhost:11211". With several servers each key is kept on one of them. Not used if
 * the application has its own MemcacheClient bean for strings.
 * @param protocol Protocol of the connections: "ascii", or "binary", which Memcached has
 * deprecated.
 * @param username User for authentication. By default connections do not authenticate.
 * @param password Password of the user for authentication.
 * @since 0.1
 */
@ConfigurationProperties("lock.memcached")
public record MemcachedLockProperties(@DefaultValue("localhost:11211") List<String> servers,
		@DefaultValue("ascii") Protocol protocol, @Nullable String username, @Nullable String password) {

	@Override
	public String toString() {
		// without the password
		return "MemcachedLockProperties[servers=%s, protocol=%s]".formatted(this.servers, this.protocol);
	}

	/**
	 * The protocols of Memcached.
	 */
	public enum Protocol {

		/**
		 * The text protocol.
		 */
		ASCII,

		/**
		 * The binary protocol, which Memcached has deprecated.
		 */
		BINARY

	}

}
