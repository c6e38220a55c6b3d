package io.distributedlock.autoconfigure.memcached;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration of locks on Memcached.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock.memcached")
public class MemcachedLockProperties {

	/**
	 * Hosts and ports of the servers. Keys are shared out between several; each lock
	 * lives on one. Not used where the application has a MemcacheClient of strings of its
	 * own.
	 */
	private List<String> servers = new ArrayList<>(List.of("localhost:11211"));

	/**
	 * The protocol: "ascii" or "binary".
	 */
	private Protocol protocol = Protocol.ASCII;

	/**
	 * User, where authentication is enabled.
	 */
	private @Nullable String username;

	/**
	 * Password of the user.
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
		 * The binary protocol, which Memcached calls deprecated.
		 */
		BINARY

	}

}
