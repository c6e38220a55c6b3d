package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of Redlock: locks on a majority of independent Redis servers.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock.redis.redlock")
public class RedlockProperties {

	/**
	 * URLs of the servers, such as "redis://user:password@host:6379", or "rediss://" for
	 * TLS. At least three, best an odd number. The servers must be independent of each
	 * other: no replicas, no cluster.
	 */
	private List<String> nodes = new ArrayList<>();

	/**
	 * How long to wait for the answer of one server. The shortest lease is five times as
	 * long, so that enough of a lease remains after the servers were asked.
	 */
	private Duration nodeTimeout = Duration.ofMillis(100);

	/**
	 * Name of the SSL bundle for "rediss://" URLs. By default the certificates of the JVM
	 * are used.
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
