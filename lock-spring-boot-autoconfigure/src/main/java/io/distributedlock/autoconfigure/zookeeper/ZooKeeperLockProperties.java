package io.distributedlock.autoconfigure.zookeeper;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of locks on ZooKeeper.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock.zookeeper")
public class ZooKeeperLockProperties {

	/**
	 * Servers of the ensemble, such as "zk1:2181,zk2:2181,zk3:2181". Not used if the
	 * application has its own CuratorFramework bean.
	 */
	private String connectString = "localhost:2181";

	/**
	 * Path of the ZooKeeper node below which all locks are kept.
	 */
	private String root = "/distributed-lock";

	/**
	 * Session time-out to request from ZooKeeper, such as 15s: how long a key stays
	 * locked after the JVM of its holder died. The server may choose another value within
	 * its own limits.
	 */
	private Duration sessionTimeout = Duration.ofSeconds(15);

	/**
	 * How long it may take to connect, such as 3s.
	 */
	private Duration connectionTimeout = Duration.ofSeconds(3);

	/**
	 * User for authentication with the digest scheme. By default connections do not
	 * authenticate.
	 */
	private @Nullable String username;

	/**
	 * Password of the user for authentication.
	 */
	private @Nullable String password;

	public String getConnectString() {
		return this.connectString;
	}

	public void setConnectString(String connectString) {
		this.connectString = connectString;
	}

	public String getRoot() {
		return this.root;
	}

	public void setRoot(String root) {
		this.root = root;
	}

	public Duration getSessionTimeout() {
		return this.sessionTimeout;
	}

	public void setSessionTimeout(Duration sessionTimeout) {
		this.sessionTimeout = sessionTimeout;
	}

	public Duration getConnectionTimeout() {
		return this.connectionTimeout;
	}

	public void setConnectionTimeout(Duration connectionTimeout) {
		this.connectionTimeout = connectionTimeout;
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

}
