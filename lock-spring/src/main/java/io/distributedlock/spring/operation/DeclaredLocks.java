package io.distributedlock.spring.operation;

import java.lang.reflect.Method;
import java.util.List;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.spring.reach.LockAnnotations;

import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * Internal: Reads the annotations that apply to a method. Spring refuses to read one
 * whose aliases contradict each other, such as {@code key} and {@code value}.
 */
public final class DeclaredLocks {

	private DeclaredLocks() {
	}

	/**
	 * Return the annotations that apply to a method.
	 * @param method the method
	 * @param userClass the class of the bean
	 * @return the annotations, none if the method is not locked
	 * @throws InvalidLockOperationException if an annotation cannot be read
	 */
	public static List<MergedAnnotation<DistributedLock>> of(Method method, Class<?> userClass) {
		try {
			return LockAnnotations.of(method, userClass);
		}
		catch (AnnotationConfigurationException ex) {
			throw new InvalidLockOperationException(method, userClass,
					"the annotation cannot be read: " + String.valueOf(ex.getMessage()).replaceFirst("\\.$", ""),
					"Set only one of two attributes that mean the same. In an annotation of your own, check each @AliasFor",
					ex);
		}
	}

}
