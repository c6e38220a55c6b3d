package io.distributedlock.autoconfigure.memcached;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of locks on Memcached.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock.memcached")
public class MemcachedLockProperties {

	/**
	 * Hosts and ports of the servers, such as "mc1:11211"; by default "localhost:11211".
	 * With several servers each key is kept on one of them. Not used if the application
	 * has its own MemcacheClient bean for strings.
	 */
	private List<String> servers = new ArrayList<>(List.of("localhost:11211"));

	/**
	 * Protocol of the connections: "ascii", or "binary", which Memcached has deprecated.
	 */
	private Protocol protocol = Protocol.ASCII;

	/**
	 * User for authentication. By default connections do not authenticate.
	 */
	private @Nullable String username;

	/**
	 * Password of the user for authentication.
	 */
	private @Nullable String password;

	public List<String> getServers() {
		return this.servers;
	}

	public void setServers(List<String> servers) {
		this.servers = servers;
	}

	public Protocol getProtocol() {
		return this.protocol;
	}

	public void setProtocol(Protocol protocol) {
		this.protocol = protocol;
	}

	public @Nullable String getUsername() {
		return this.username;
	}

	public void setUsername(@Nullable String username) {
		this.username = username;
	}

	public @Nullable String getPassword() {
		return this.password;
	}

	public void setPassword(@Nullable String password) {
		this.password = password;
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
