package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;

/**
 * Evaluates a parsed expression for one call. What the caller passes is data: it is never
 * parsed.
 */
final class LockKeyEvaluator implements LockKey {

	/**
	 * Whether the text of an object says what it is. The default one differs from JVM to
	 * JVM, and would give each its own lock.
	 */
	private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			try {
				return type.getMethod("toString").getDeclaringClass() != Object.class;
			}
			catch (NoSuchMethodException ex) {
				return false;
			}
		}

	};

	private final Expression expression;

	private final String text;

	private final Method method;

	private final ParameterNameDiscoverer parameterNames;

	private final @Nullable BeanResolver beans;

	LockKeyEvaluator(Expression expression, String text, Method method, ParameterNameDiscoverer parameterNames,
			@Nullable BeanResolver beans) {
		this.expression = expression;
		this.text = text;
		this.method = method;
		this.parameterNames = parameterNames;
		this.beans = beans;
	}

	@Override
	public String of(MethodInvocation call, Object target) {
		@Nullable Object[] arguments = call.getArguments();
		LockKeyRoot root = new LockKeyRoot(this.method, arguments, target);
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(root, this.method, arguments,
				this.parameterNames);
		if (this.beans != null) {
			context.setBeanResolver(this.beans);
		}
		return text(evaluate(context));
	}

	private @Nullable Object evaluate(MethodBasedEvaluationContext context) {
		try {
			return this.expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw new IllegalArgumentException(describe("cannot be evaluated: " + ex.getMessage()), ex);
		}
	}

	private String text(@Nullable Object result) {
		Object value = (result instanceof Optional<?> optional) ? optional.orElse(null) : result;
		if (value == null) {
			throw new IllegalArgumentException(describe("is null"));
		}
		if (value instanceof Collection<?> || value instanceof Map<?, ?> || value.getClass().isArray()) {
			throw new IllegalArgumentException(describe("is a " + value.getClass().getSimpleName()
					+ ", and a lock has one key. Join the elements, in an order that does not change"));
		}
		if (!HAS_TEXT.get(value.getClass())) {
			throw new IllegalArgumentException(describe("is a " + value.getClass().getName()
					+ " without a toString() of its own, whose text differs from JVM to JVM. Name a property of it"));
		}
		String key = value.toString();
		if (key == null || key.isBlank()) {
			throw new IllegalArgumentException(describe("is blank"));
		}
		return key;
	}

	private String describe(String problem) {
		return "The key \"%s\" of @DistributedLock on %s.%s %s. The method was not run.".formatted(this.text,
				this.method.getDeclaringClass().getSimpleName(), this.method.getName(), problem);
	}

}
