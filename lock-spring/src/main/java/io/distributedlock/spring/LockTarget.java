package io.distributedlock.spring;

import java.time.Duration;

import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.spring.expression.LockExpression;
import io.distributedlock.spring.expression.LockExpressionParser;
import io.distributedlock.spring.expression.LockKeys;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * What one annotation locks.
 *
 * @param prototype the request, complete but for the key
 * @param keys gives the keys of a call
 * @param condition whether to lock at all, {@code null} for always
 */
record LockTarget(LockRequest prototype, LockKeys keys, @Nullable LockExpression condition) {

	private static final String KEEP_ALIVE = "-1";

	/**
	 * Read what an annotation locks.
	 */
	static LockTarget of(LockAttributes attributes, LockExpressionParser parser) {
		String name = attributes.text("name");
		if (name.contains("#{") || name.startsWith("#")) {
			throw attributes.invalid("name",
					"a name is no expression, but the same for all calls. Write the expression into key", null);
		}
		if (name.isEmpty()) {
			name = attributes.defaultName();
		}
		LockRequest prototype = withTimes(withKind(LockRequest.of(name), attributes), attributes);
		String provider = attributes.text("provider");
		if (!provider.isEmpty()) {
			prototype = prototype.withProvider(provider);
		}
		int maxWaiters = attributes.annotation().getInt("maxWaiters");
		if (maxWaiters < -1) {
			throw attributes.invalid("maxWaiters", "give a number from 0, or -1 for any number", null);
		}
		if (maxWaiters >= 0) {
			prototype = prototype.withMaxWaiters(maxWaiters);
		}
		LockExpression condition = attributes.raw("condition").isEmpty() ? null : parser.parse("condition", attributes);
		if (attributes.raw("key").isEmpty()) {
			// one lock for the method: its name is the key, under no name
			return new LockTarget(prototype, (request, call, target) -> request, condition);
		}
		return new LockTarget(prototype.withName(name), parser.keys(attributes), condition);
	}

	/**
	 * Return what to lock for one call.
	 * @return the request, {@code null} if the condition does not hold
	 * @throws IllegalArgumentException if the arguments give no usable key
	 */
	@Nullable LockRequest request(MethodInvocation call, Object target) {
		if (this.condition != null && !holds(this.condition, call, target)) {
			return null;
		}
		return this.keys.request(this.prototype, call, target);
	}

	private static boolean holds(LockExpression condition, MethodInvocation call, Object target) {
		Object value = condition.evaluate(call, target);
		if (value instanceof Boolean holds) {
			return holds;
		}
		throw condition.refused("is no boolean but " + value, null);
	}

	private static LockRequest withKind(LockRequest request, LockAttributes attributes) {
		LockType type = attributes.choice("type", LockType.class);
		String permits = attributes.text("permits");
		LockRequest kind = request.withRequired(attributes.annotation().getEnumArray("requires", LockCapability.class));
		if ((type == LockType.SEMAPHORE) == permits.isEmpty()) {
			throw attributes.invalid("permits", "a lock of type %s %s permits. Use @DistributedSemaphore"
				.formatted(type, permits.isEmpty() ? "needs" : "has no"), null);
		}
		if (permits.isEmpty()) {
			return kind.withType(type);
		}
		try {
			return kind.withPermits(Integer.parseInt(permits));
		}
		catch (IllegalArgumentException ex) {
			throw attributes.invalid("permits", "give a number from 1", ex);
		}
	}

	private static LockRequest withTimes(LockRequest request, LockAttributes attributes) {
		LockRequest timed = request;
		Duration waitTime = attributes.duration("waitTime");
		if (waitTime != null) {
			timed = timed.withWaitTime(waitTime);
		}
		Duration holdAtLeast = attributes.duration("holdAtLeast");
		if (holdAtLeast != null) {
			timed = timed.withHoldAtLeast(holdAtLeast);
		}
		timed = timed.withAutoRenew(attributes.annotation().getBoolean("autoRenew"));
		if (attributes.text("leaseTime").equals(KEEP_ALIVE)) {
			// also where the template has a lease time for calls that say nothing
			return timed.withAutoRenew(true);
		}
		Duration leaseTime = attributes.duration("leaseTime");
		if (leaseTime == null) {
			return timed;
		}
		if (leaseTime.isZero()) {
			throw attributes.invalid("leaseTime",
					"a lease time is positive, or -1 to keep the lease alive until the method ends", null);
		}
		return timed.withLeaseTime(leaseTime);
	}

}
