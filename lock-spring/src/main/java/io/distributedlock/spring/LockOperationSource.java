package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Turns annotations into operations, once for each method.
 */
final class LockOperationSource {

	private static final String KEEP_ALIVE = "-1";

	private final ConcurrentHashMap<MethodClassKey, Optional<LockOperation>> operations = new ConcurrentHashMap<>();

	private final Queue<Declared> unchecked = new ConcurrentLinkedQueue<>();

	private final LockKeyParser keyParser;

	private final UnaryOperator<@Nullable String> placeholders;

	LockOperationSource(LockKeyParser keyParser, UnaryOperator<@Nullable String> placeholders) {
		this.keyParser = keyParser;
		this.placeholders = placeholders;
	}

	/**
	 * Check that the template can serve what was found so far.
	 * @param template gives the template, and is not asked if nothing was found
	 * @throws InvalidLockOperationException if it lacks a provider, or the provider a
	 * capability
	 */
	void check(Supplier<LockTemplate> template) {
		for (Declared next = this.unchecked.poll(); next != null; next = this.unchecked.poll()) {
			try {
				template.get().check(next.prototype);
			}
			catch (IllegalArgumentException ex) {
				throw new InvalidLockOperationException(next.method, next.userClass, String.valueOf(ex.getMessage()));
			}
		}
	}

	/**
	 * Return what a method is to run under.
	 * @return the operation, {@code null} if the method has none
	 * @throws InvalidLockOperationException if the annotation cannot work
	 */
	@Nullable LockOperation find(Method method, Class<?> targetClass) {
		MethodClassKey cacheKey = new MethodClassKey(method, targetClass);
		Optional<LockOperation> known = this.operations.get(cacheKey);
		if (known == null) {
			known = Optional.ofNullable(build(method, targetClass));
			this.operations.put(cacheKey, known);
		}
		return known.orElse(null);
	}

	private @Nullable LockOperation build(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		if (ReflectionUtils.isObjectMethod(specific) || Modifier.isPrivate(specific.getModifiers())
				|| Modifier.isStatic(specific.getModifiers())) {
			return null;
		}
		MergedAnnotation<DistributedLock> annotation = annotation(specific, userClass);
		return annotation.isPresent() ? build(annotation, specific, userClass) : null;
	}

	static MergedAnnotation<DistributedLock> annotation(Method method, Class<?> userClass) {
		MergedAnnotation<DistributedLock> onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
			.get(DistributedLock.class);
		return onMethod.isPresent() ? onMethod
				: MergedAnnotations.from(userClass, SearchStrategy.TYPE_HIERARCHY).get(DistributedLock.class);
	}

	private LockOperation build(MergedAnnotation<DistributedLock> annotation, Method method, Class<?> userClass) {
		String name = resolve(annotation, "name");
		if (name.isEmpty()) {
			name = userClass.getSimpleName() + "." + method.getName();
		}
		String key = annotation.getString("key");
		LockRequest prototype = LockRequest.of(name)
			.withType(annotation.getEnum("type", LockType.class))
			.withAutoRenew(annotation.getBoolean("autoRenew"))
			.withRequired(annotation.getEnumArray("requires", LockCapability.class));
		String provider = resolve(annotation, "provider");
		if (!provider.isEmpty()) {
			prototype = prototype.withProvider(provider);
		}
		Duration waitTime = duration(annotation, "waitTime", method, userClass);
		if (waitTime != null) {
			prototype = prototype.withWaitTime(waitTime);
		}
		if (resolve(annotation, "leaseTime").equals(KEEP_ALIVE)) {
			// also where the template has a lease time for calls that say nothing
			prototype = prototype.withAutoRenew(true);
		}
		Duration leaseTime = duration(annotation, "leaseTime", method, userClass);
		if (leaseTime != null) {
			prototype = prototype.withLeaseTime(leaseTime);
		}
		LockedInvocation invocation = LockedInvocation.of(method, userClass);
		this.unchecked.add(new Declared(method, userClass, prototype));
		if (key.isEmpty()) {
			// one lock for the method: its name is the key, under no name
			String methodKey = name;
			return new LockOperation(prototype, (call, target) -> methodKey, invocation);
		}
		return new LockOperation(prototype.withName(name), this.keyParser.parse(key, method, userClass), invocation);
	}

	private @Nullable Duration duration(MergedAnnotation<DistributedLock> annotation, String attribute, Method method,
			Class<?> userClass) {
		boolean lease = attribute.equals("leaseTime");
		String text = resolve(annotation, attribute);
		if (text.isEmpty() || (lease && text.equals(KEEP_ALIVE))) {
			return null;
		}
		if (!lease && text.equals("0")) {
			return Duration.ZERO;
		}
		Duration duration;
		try {
			if (StringUtils.hasText(text) && Character.isDigit(text.charAt(text.length() - 1))) {
				throw new IllegalArgumentException("a number without a unit");
			}
			duration = DurationFormatterUtils.detectAndParse(text);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockOperationException(method, userClass, attribute, text,
					"no duration: %s. Write 500ms, 30s, 5m or PT30S".formatted(ex.getMessage()), ex);
		}
		if (duration.isNegative() || (lease && duration.isZero())) {
			throw new InvalidLockOperationException(method, userClass, attribute, text,
					lease ? "a lease time is positive, or -1 to keep the lease alive until the method ends"
							: "a wait time is not negative; 0 makes one attempt",
					null);
		}
		return duration;
	}

	private String resolve(MergedAnnotation<DistributedLock> annotation, String attribute) {
		String resolved = this.placeholders.apply(annotation.getString(attribute));
		return (resolved != null) ? resolved.trim() : "";
	}

	/**
	 * An annotation that was parsed, and what it asks for.
	 */
	private record Declared(Method method, Class<?> userClass, LockRequest prototype) {
	}

}
