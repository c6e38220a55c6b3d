package io.distributedlock.autoconfigure.etcd;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of locks on etcd.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock.etcd")
public class EtcdLockProperties {

	/**
	 * URLs of the servers, such as "http://etcd1:2379", or "https://" for TLS; by default
	 * "http://localhost:2379". Not used if the application has its own jetcd Client bean.
	 */
	private List<String> endpoints = new ArrayList<>(List.of("http://localhost:2379"));

	/**
	 * What every key of a lock starts with on etcd. It comes before lock.key-prefix.
	 */
	private String prefix = "distributed-lock/";

	/**
	 * User for the v3 authentication of etcd. By default connections do not authenticate.
	 */
	private @Nullable String username;

	/**
	 * Password of the user for authentication.
	 */
	private @Nullable String password;

	/**
	 * Name of the SSL bundle for "https://" URLs. By default the certificates of the JVM
	 * are used.
	 */
	private @Nullable String sslBundle;

	public List<String> getEndpoints() {
		return this.endpoints;
	}

	public void setEndpoints(List<String> endpoints) {
		this.endpoints = endpoints;
	}

	public String getPrefix() {
		return this.prefix;
	}

	public void setPrefix(String prefix) {
		this.prefix = prefix;
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

	public @Nullable String getSslBundle() {
		return this.sslBundle;
	}

	public void setSslBundle(@Nullable String sslBundle) {
		this.sslBundle = sslBundle;
	}

}
