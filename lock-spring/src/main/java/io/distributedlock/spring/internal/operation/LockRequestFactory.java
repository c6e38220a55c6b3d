package io.distributedlock.spring.internal.operation;

import java.time.Duration;

import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.annotation.ScheduledLock;
import io.distributedlock.spring.internal.expression.LockExpression;
import io.distributedlock.spring.internal.expression.LockExpressionParser;
import io.distributedlock.spring.internal.expression.LockKeys;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Makes the requests of one annotation.
 *
 * @param prototype the request, complete except for the key
 * @param keys gives the keys of a call
 * @param condition whether a call needs the lock, {@code null} if each does
 */
public record LockRequestFactory(LockRequest prototype, LockKeys keys, @Nullable LockExpression condition) {

	private static final String AUTO_RENEWED = "-1";

	/**
	 * Read the attributes of an annotation.
	 */
	static LockRequestFactory of(LockAttributes attributes, LockExpressionParser parser) {
		attributes.requireAliases();
		String name = attributes.text("name");
		attributes.refuseIf(name.contains("#{") || name.startsWith("#") || parser.mentionsVariable(name, attributes),
				"name", "a name is the same for all calls and cannot be an expression",
				"Write the expression into key");
		String written = attributes.raw("name");
		attributes.refuseIf(!written.isEmpty() && written.isBlank(), "name", "the name is blank",
				"Write a name, or leave it out: it is the method then");
		if (name.isEmpty()) {
			name = attributes.defaultName();
		}
		LockRequest prototype = withTimes(withType(LockRequest.ofName(name), attributes), attributes);
		String provider = attributes.text("provider");
		if (!provider.isEmpty()) {
			prototype = prototype.withProvider(provider);
		}
		int maxWaiters = attributes.annotation().getInt("maxWaiters");
		attributes.refuseIf(maxWaiters < -1, "maxWaiters", "not a valid limit",
				"Write a number from 0, or -1 for no limit");
		if (maxWaiters >= 0) {
			prototype = prototype.withMaxWaiters(maxWaiters);
		}
		LockExpression condition = attributes.raw("condition").isEmpty() ? null : parser.condition(attributes);
		boolean exactKey = attributes.isExactKey();
		if (attributes.raw("key").isEmpty()) {
			attributes.refuseIf(exactKey, "exactKey", "there is no key", "Write the full key into key");
			// one lock for the method
			return new LockRequestFactory(prototype, (request, call, target) -> request, condition);
		}
		return new LockRequestFactory(prototype.withExactKey(exactKey), parser.keys(attributes), condition);
	}

	/**
	 * Return the request for one call.
	 * @return the request, {@code null} if the condition is false
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
		throw condition.refused("must return a boolean, but returned " + value, null);
	}

	private static LockRequest withType(LockRequest request, LockAttributes attributes) {
		LockType type = attributes.choice("type", LockType.class);
		String permits = attributes.text("permits");
		LockRequest required = request
			.withRequired(attributes.annotation().getEnumArray("requires", LockCapability.class));
		attributes.refuseIf((type == LockType.SEMAPHORE) == permits.isEmpty(), "permits",
				"a lock of type %s %s".formatted(type,
						permits.isEmpty() ? "needs a number of permits" : "has no permits"),
				"Use @DistributedSemaphore for permits, or another type without them");
		if (permits.isEmpty()) {
			return required.withType(type);
		}
		try {
			return required.withPermits(Integer.parseInt(permits));
		}
		catch (IllegalArgumentException ex) {
			throw attributes.invalid("permits", "not a number of permits", "Write a number from 1", ex);
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
		else if (attributes.annotation().getMetaTypes().contains(ScheduledLock.class)) {
			throw attributes.invalid("holdAtLeast", "a scheduled lock needs a minimum hold time",
					"Write a time that is longer than the clocks of the nodes differ, such as 30s", null);
		}
		timed = timed.withAutoRenew(attributes.annotation().getBoolean("autoRenew"))
			.withReentrant(attributes.annotation().getBoolean("reentrant"));
		if (attributes.text("leaseTime").equals(AUTO_RENEWED)) {
			// also if the template has a default lease time
			return timed.withAutoRenew(true);
		}
		Duration leaseTime = attributes.duration("leaseTime");
		if (leaseTime == null) {
			return timed;
		}
		attributes.refuseIf(leaseTime.isZero(), "leaseTime", "the lease time is zero",
				"Write a positive one, or -1 to have the lease auto-renewed until the method ends");
		return timed.withLeaseTime(leaseTime);
	}

}
