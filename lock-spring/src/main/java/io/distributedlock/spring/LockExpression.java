package io.distributedlock.spring;

import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;

/**
 * A parsed expression of an annotation. What the caller passes is data: it is never
 * parsed.
 *
 * @param expression the expression
 * @param attribute the attribute that it stands in
 * @param text the text of it
 * @param method the method
 * @param parameterNames knows the names of the method's parameters
 * @param beans resolves references to beans, {@code null} if they are not allowed
 */
record LockExpression(Expression expression, String attribute, String text, Method method,
		ParameterNameDiscoverer parameterNames, @Nullable BeanResolver beans) {

	/**
	 * Evaluate the expression for one call.
	 * @throws IllegalArgumentException if the arguments of the call do not fit it
	 */
	@Nullable Object evaluate(MethodInvocation call, Object target) {
		@Nullable Object[] arguments = call.getArguments();
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
				new LockKeyRoot(this.method, arguments, target), this.method, arguments, this.parameterNames);
		if (this.beans != null) {
			context.setBeanResolver(this.beans);
		}
		try {
			return this.expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw refused("cannot be evaluated: " + ex.getMessage(), ex);
		}
	}

	IllegalArgumentException refused(String problem, @Nullable Throwable cause) {
		return new IllegalArgumentException(
				"The %s \"%s\" of @DistributedLock on %s.%s %s. The method was not run.".formatted(this.attribute,
						this.text, this.method.getDeclaringClass().getSimpleName(), this.method.getName(), problem),
				cause);
	}

}
