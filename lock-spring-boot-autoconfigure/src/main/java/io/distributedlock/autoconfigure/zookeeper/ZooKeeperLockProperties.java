package io.distributedlock.autoconfigure.zookeeper;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration of locks on ZooKeeper.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock.zookeeper")
public class ZooKeeperLockProperties {

	/**
	 * Servers of the ensemble, such as "zk1:2181,zk2:2181,zk3:2181". Not used where the
	 * application has a CuratorFramework of its own.
	 */
	private String connectString = "localhost:2181";

	/**
	 * The node below which all locks are.
	 */
	private String root = "/distributed-lock";

	/**
	 * How long a lock stays after its holder died: the session time-out that is asked
	 * for.
	 */
	private Duration sessionTimeout = Duration.ofSeconds(15);

	/**
	 * How long connecting may take.
	 */
	private Duration connectionTimeout = Duration.ofSeconds(3);

	/**
	 * User for the digest scheme.
	 */
	private @Nullable String username;

	/**
	 * Password for the digest scheme.
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
