package io.distributedlock.autoconfigure;

import java.util.Map;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.spi.LockProvider;

import org.springframework.core.env.Environment;

/**
 * Passes the properties on to the builder of the template, and names the one that is
 * refused.
 *
 * @param properties the properties
 */
record TemplateSettings(LockProperties properties) {

	private static final Map<String, String> HINTS = Map.of("lock.key-prefix",
			"Without it, the prefix is spring.application.name.", "lock.lease-time",
			"Write a time such as 30s, or -1 for leases that are renewed until the lock is released.",
			"lock.hand-over.limit", "Write a number from 1.");

	private static final String LEASE_TIME = "lock.lease-time";

	private static final String RENEWAL_LEASE_TIME = "lock.renewal.lease-time";

	void applyTo(LockTemplateBuilder builder, Environment environment) {
		LockProperties lock = this.properties;
		set("lock.key-prefix", () -> builder.keyPrefix(resolved(lock.keyPrefix(environment))));
		set("lock.wait-time", () -> builder.waitTime(lock.waitTime()));
		set(LEASE_TIME, () -> builder.leaseTime(lock.leaseTime()));
		set("lock.lock-delay", () -> builder.lockDelay(lock.lockDelay()));
		set(RENEWAL_LEASE_TIME, () -> builder.renewalLeaseTime(lock.renewal().leaseTime()));
		set("lock.command-timeout", () -> builder.commandTimeout(lock.commandTimeout()));
		set("lock.poll-interval", () -> builder.pollInterval(lock.pollInterval()));
		set("lock.hand-over.window", () -> builder.handOverWindow(lock.handOver().window()));
		set("lock.hand-over.limit", () -> builder.handOverLimit(lock.handOver().limit()));
		set("lock.interop.polling", () -> builder.interopPolling(lock.interop().polling()));
		set("lock.warn-after", () -> builder.warnAfter(lock.warnAfter()));
		builder.waitThroughOutage(lock.waitThroughOutage());
		builder.asyncRelease(lock.release() == LockProperties.ReleaseMode.ASYNC);
	}

	/**
	 * Require that the default provider can keep the default lease: otherwise each call
	 * that sets none would fail.
	 */
	void requireServed(LockTemplate template, LockProvider byDefault) {
		try {
			template.check(LockRequest.of("any"));
		}
		catch (InvalidLockRequestException ex) {
			String property = property(byDefault);
			throw new InvalidLockSetupException(
					"%s does not fit the default provider '%s': %s".formatted(property, byDefault.name(),
							ex.getDescription()),
					"Set %s to a value that the provider can keep, or choose another lock.provider."
						.formatted(property),
					ex);
		}
	}

	private String property(LockProvider byDefault) {
		if (!this.properties.lockDelay().isZero() && !byDefault.capabilities().contains(LockCapability.LOCK_DELAY)) {
			return "lock.lock-delay";
		}
		return (this.properties.leaseTime() != null) ? LEASE_TIME : RENEWAL_LEASE_TIME;
	}

	/**
	 * Spring Boot leaves a placeholder that it cannot resolve as it is: environments that
	 * share a backend would then share their locks.
	 */
	private static String resolved(String prefix) {
		if (prefix.contains("${")) {
			throw new IllegalArgumentException("the placeholder in '%s' cannot be resolved".formatted(prefix));
		}
		return prefix;
	}

	private static void set(String property, Runnable setter) {
		try {
			setter.run();
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockSetupException("%s is invalid: %s".formatted(property, ex.getMessage()),
					"Correct %s. %s".formatted(property,
							HINTS.getOrDefault(property, "Write a time as 500ms, 30s, 5m or PT30S.")),
					ex);
		}
	}

}
