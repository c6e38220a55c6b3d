package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.annotation.OnUnavailable;
import io.distributedlock.spring.expression.LockExpressionParser;
import io.distributedlock.spring.invocation.CallRules;
import io.distributedlock.spring.invocation.ContentionPolicy;
import io.distributedlock.spring.invocation.LockedInvocation;
import io.distributedlock.spring.reach.LockAnnotations;
import io.distributedlock.spring.returntype.ReturnType;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Turns annotations into operations, once for each method.
 */
final class LockOperationSource {

	private final ConcurrentHashMap<MethodClassKey, Optional<LockOperation>> operations = new ConcurrentHashMap<>();

	private final Queue<Declared> unchecked = new ConcurrentLinkedQueue<>();

	private final LockExpressionParser parser;

	private final UnaryOperator<@Nullable String> placeholders;

	private final DistributedLockSettings settings;

	private final ContentionPolicies contentionPolicies;

	LockOperationSource(LockExpressionParser parser, UnaryOperator<@Nullable String> placeholders,
			DistributedLockSettings settings, @Nullable BeanFactory beans) {
		this.parser = parser;
		this.placeholders = placeholders;
		this.settings = settings;
		this.contentionPolicies = new ContentionPolicies(settings.onContention(), beans);
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
	 * @throws InvalidLockOperationException if an annotation cannot work
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
		Method specific = Proxy.isProxyClass(userClass) ? ClassUtils.getInterfaceMethodIfPossible(method, userClass)
				: AopUtils.getMostSpecificMethod(method, userClass);
		if (ReflectionUtils.isObjectMethod(specific) || LockAnnotations.isCopy(specific)) {
			return null;
		}
		List<LockAttributes> annotations = LockAnnotations.of(specific, userClass)
			.stream()
			.map((each) -> new LockAttributes(each, specific, userClass, this.placeholders))
			.toList();
		return annotations.isEmpty() ? null : build(annotations, specific, userClass);
	}

	private LockOperation build(List<LockAttributes> annotations, Method method, Class<?> userClass) {
		LockedInvocation invocation = LockedInvocation.of(ReturnType.of(method, userClass),
				(problem) -> new InvalidLockOperationException(method, userClass, problem));
		List<LockTarget> targets = annotations.stream().map((each) -> LockTarget.of(each, this.parser)).toList();
		CallRules rules = new CallRules(contention(annotations, invocation),
				agreed("onUnavailable", annotations, (each) -> each.choice("onUnavailable", OnUnavailable.class)),
				agreed("onLost", annotations, (each) -> each.choice("onLost", OnLost.class)),
				agreed("release", annotations, (each) -> each.release(this.settings)),
				Arrays.asList(method.getParameterTypes()).indexOf(LockHandle.class));
		LockOperation operation = new LockOperation(targets, invocation, rules);
		targets.forEach((target) -> this.unchecked.add(new Declared(method, userClass, target.prototype())));
		return operation;
	}

	private ContentionPolicy contention(List<LockAttributes> annotations, LockedInvocation invocation) {
		for (String attribute : List.of("onContention", "fallback", "handler")) {
			agreed(attribute, annotations, (each) -> String.valueOf(each.annotation().getValue(attribute).orElse("")));
		}
		return this.contentionPolicies.of(annotations.get(0), invocation);
	}

	/**
	 * The annotations of one method are one call: what happens to it is said once.
	 */
	private static <T> T agreed(String attribute, List<LockAttributes> annotations, Function<LockAttributes, T> value) {
		T first = value.apply(annotations.get(0));
		for (LockAttributes each : annotations) {
			if (!value.apply(each).equals(first)) {
				throw each.invalid(attribute,
						"the locks of one method are had all together, and so must agree in this attribute", null);
			}
		}
		return first;
	}

	/**
	 * An annotation that was parsed, and what it asks for.
	 */
	private record Declared(Method method, Class<?> userClass, LockRequest prototype) {
	}

}
