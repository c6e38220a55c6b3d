package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of Redlock: locks on a majority of independent Redis servers.
 *
 * @param nodes URLs of the servers, such as "redis://user:password@host:6379", or
 * "rediss://" for TLS. At least three, best an odd number. The servers must be
 * independent of each other: no replicas, no cluster.
 * @param nodeTimeout How long to wait for the answer of one server. The shortest lease is
 * five times as long, so that enough of a lease remains after the servers were asked.
 * @param sslBundle Name of the SSL bundle for "rediss://" URLs. By default the
 * certificates of the JVM are used.
 * @since 0.1
 */
@ConfigurationProperties("lock.redis.redlock")
public record RedlockProperties(@DefaultValue List<String> nodes, @DefaultValue("100ms") Duration nodeTimeout,
		@Nullable String sslBundle) {

	@Override
	public String toString() {
		// without URLs, which have passwords
		return "RedlockProperties[nodeTimeout=%s]".formatted(this.nodeTimeout);
	}

}
