package io.distributedlock.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * An annotation for a lock cannot work. Thrown when its bean is created or when all
 * singletons have been created, so that the application does not start. The message says
 * which annotation, what is wrong and what to do.
 *
 * @since 0.1
 */
public class InvalidLockOperationException extends InvalidLockSetupException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for one attribute.
	 * @param method the annotated method
	 * @param targetClass the class of its bean
	 * @param attribute the attribute of the annotation
	 * @param value what it is set to
	 * @param problem what is wrong
	 * @param action what to do
	 * @param cause why, if an exception says so
	 */
	public InvalidLockOperationException(Method method, Class<?> targetClass, String attribute, String value,
			String problem, String action, @Nullable Throwable cause) {
		super("@DistributedLock on %s, %s = \"%s\": %s".formatted(describe(method, targetClass), attribute, value,
				problem), action, cause);
	}

	/**
	 * Create an exception.
	 * @param method the annotated method
	 * @param targetClass the class of its bean
	 * @param problem what is wrong
	 * @param action what to do
	 * @param cause why, if an exception says so
	 */
	public InvalidLockOperationException(Method method, Class<?> targetClass, String problem, String action,
			@Nullable Throwable cause) {
		super("@DistributedLock on %s: %s".formatted(describe(method, targetClass), problem), action, cause);
	}

	private static String describe(Method method, Class<?> targetClass) {
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		return "%s.%s(%s)".formatted(ClassUtils.getUserClass(targetClass).getName(), method.getName(), parameters);
	}

}
