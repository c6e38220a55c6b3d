package io.distributedlock.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
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
	 * Create an exception.
	 * @param method the annotated method
	 * @param targetClass the class of its bean
	 * @param problem what is wrong
	 * @param action what to do
	 * @param cause why, if an exception says so
	 */
	public InvalidLockOperationException(Method method, Class<?> targetClass, String problem, String action,
			@Nullable Throwable cause) {
		super("%s: %s".formatted(describe(method, targetClass), problem), action, cause);
	}

	private static String describe(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		return "@%s on %s.%s(%s)".formatted(annotation(method, userClass), userClass.getName(), method.getName(),
				parameters);
	}

	/**
	 * Return the name of the annotation that its author wrote, which may be a composed
	 * one.
	 */
	private static String annotation(Method method, Class<?> userClass) {
		try {
			return Stream.of(method, userClass)
				.map((each) -> MergedAnnotations.from(each, SearchStrategy.TYPE_HIERARCHY).get(DistributedLock.class))
				.filter(MergedAnnotation::isPresent)
				.map((each) -> each.getRoot().getType().getSimpleName())
				.findFirst()
				.orElse(DistributedLock.class.getSimpleName());
		}
		catch (AnnotationConfigurationException ex) {
			return DistributedLock.class.getSimpleName();
		}
	}

}
