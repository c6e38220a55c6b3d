package io.distributedlock.spring.internal.expression;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;

import io.distributedlock.InvalidLockKeyException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.TypedValue;

/**
 * A parsed expression of an annotation. Arguments of a call are data, they are never
 * parsed.
 *
 * @param expression the expression
 * @param attribute the name of the attribute
 * @param text the text of the attribute
 * @param method the method
 * @param parameters the index of each parameter by its names
 * @param context what finds properties, methods and types
 */
public record LockExpression(Expression expression, String attribute, String text, Method method,
		Map<String, Integer> parameters, EvaluationContext context) {

	LockExpression with(Expression checked) {
		return new LockExpression(checked, this.attribute, this.text, this.method, this.parameters, this.context);
	}

	/**
	 * Evaluate the expression for one call.
	 * @param call the call
	 * @param target the object that it is made on
	 * @return the value
	 * @throws IllegalArgumentException if it cannot be evaluated with the arguments of
	 * the call
	 */
	public @Nullable Object evaluate(MethodInvocation call, Object target) {
		@Nullable Object[] arguments = call.getArguments();
		TypedValue root = new TypedValue(new LockKeyRoot(this.method, arguments, target));
		try {
			return this.expression
				.getValue(new LockEvaluationContext(this.context, root, this.parameters, Arrays.asList(arguments)));
		}
		catch (EvaluationException ex) {
			throw refused(ex);
		}
		catch (RuntimeException ex) {
			// Spring passes on what a method throws that the expression calls
			throw refused("cannot be evaluated: " + ex, ex);
		}
	}

	IllegalArgumentException refused(EvaluationException cause) {
		String problem = "cannot be evaluated: " + cause.getMessage();
		return KeyParts.isMissing(cause) ? noKey(problem + ". Use a value that is never null", cause)
				: refused(problem, cause);
	}

	/**
	 * Make the exception for arguments that give no key.
	 */
	InvalidLockKeyException noKey(String problem, @Nullable Throwable cause) {
		return new InvalidLockKeyException(message(problem), cause);
	}

	/**
	 * Make the exception for a value that cannot be used.
	 * @param problem what is wrong
	 * @param cause the cause, {@code null} for none
	 * @return the exception
	 */
	public IllegalArgumentException refused(String problem, @Nullable Throwable cause) {
		return new IllegalArgumentException(message(problem), cause);
	}

	private String message(String problem) {
		return "The %s \"%s\" of the lock on %s.%s %s. The method did not run.".formatted(this.attribute, this.text,
				this.method.getDeclaringClass().getSimpleName(), this.method.getName(), problem);
	}

}
