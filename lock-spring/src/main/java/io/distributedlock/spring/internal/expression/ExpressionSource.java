package io.distributedlock.spring.internal.expression;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * The attributes of one annotation that hold expressions.
 */
public interface ExpressionSource {

	/**
	 * Return the method that runs under the lock.
	 * @return the method of the bean's class
	 */
	Method method();

	/**
	 * Return the method that the annotation stands on, whose parameter names its author
	 * saw. {@link #method()} may override it.
	 * @return the annotated method
	 */
	Method annotated();

	/**
	 * Return the text of an attribute as it is written.
	 * @param attribute the name of the attribute
	 * @return the text, empty if the attribute is not set
	 */
	String raw(String attribute);

	/**
	 * Make the exception for a mistake in an attribute.
	 * @param attribute the name of the attribute
	 * @param problem what is wrong
	 * @param action what to do
	 * @param cause the cause, {@code null} for none
	 * @return the exception
	 */
	IllegalStateException invalid(String attribute, String problem, String action, @Nullable Throwable cause);

	/**
	 * Refuse a mistake in an attribute.
	 * @param mistaken whether there is one
	 * @param attribute the name of the attribute
	 * @param problem what is wrong
	 * @param action what to do
	 */
	default void refuseIf(boolean mistaken, String attribute, String problem, String action) {
		if (mistaken) {
			throw invalid(attribute, problem, action, null);
		}
	}

}
