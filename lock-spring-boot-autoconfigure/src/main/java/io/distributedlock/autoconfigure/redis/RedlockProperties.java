package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration of locks by a majority of independent Redis servers.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock.redis.redlock")
public class RedlockProperties {

	/**
	 * Addresses of the servers, such as "redis://user:password@host:6379", or "rediss:"
	 * for TLS. At least three that know nothing of each other: no replicas, no cluster.
	 */
	private List<String> nodes = new ArrayList<>();

	/**
	 * How long to wait for the answer of one server. Leases are at least five times as
	 * long.
	 */
	private Duration nodeTimeout = Duration.ofMillis(100);

	/**
	 * Name of the SSL bundle for connections to "rediss:" addresses.
	 */
	private @Nullable String sslBundle;

	public List<String> getNodes() {
		return this.nodes;
	}

	public void setNodes(List<String> nodes) {
		this.nodes = nodes;
	}

	public Duration getNodeTimeout() {
		return this.nodeTimeout;
	}

	public void setNodeTimeout(Duration nodeTimeout) {
		this.nodeTimeout = nodeTimeout;
	}

	public @Nullable String getSslBundle() {
		return this.sslBundle;
	}

	public void setSslBundle(@Nullable String sslBundle) {
		this.sslBundle = sslBundle;
	}

}
