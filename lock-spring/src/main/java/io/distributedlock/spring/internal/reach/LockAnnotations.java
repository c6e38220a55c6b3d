package io.distributedlock.spring.internal.reach;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Comparator;
import java.util.List;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockOperationException;

import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Finds the annotations that apply to a method.
 */
public final class LockAnnotations {

	private LockAnnotations() {
	}

	/**
	 * Return the annotations that apply to a method: the nearest ones. Annotations on a
	 * class apply to its public methods, but not to what an interface of the JDK or of
	 * Spring adds to them, such as {@code Function.andThen}.
	 * @param method the method
	 * @param userClass the class of the bean
	 * @return the annotations, none if the method is not locked
	 * @throws InvalidLockOperationException if an annotation cannot be read: Spring
	 * refuses one whose aliases contradict each other, such as {@code key} and
	 * {@code value}
	 */
	public static List<MergedAnnotation<DistributedLock>> of(Method method, Class<?> userClass) {
		try {
			return read(method, userClass);
		}
		catch (AnnotationConfigurationException ex) {
			throw new InvalidLockOperationException(method, userClass,
					"the annotation cannot be read: " + String.valueOf(ex.getMessage()).replaceFirst("\\.$", ""),
					"Set only one of two attributes that mean the same. In an annotation of your own, check each @AliasFor",
					ex);
		}
	}

	private static List<MergedAnnotation<DistributedLock>> read(Method method, Class<?> userClass) {
		List<MergedAnnotation<DistributedLock>> onMethod = nearest(
				MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY));
		if (!onMethod.isEmpty() || !Modifier.isPublic(method.getModifiers()) || Modifier.isStatic(method.getModifiers())
				|| (method.isDefault() && SelfInvocations.isOfAFramework(method.getDeclaringClass().getName()))) {
			return onMethod;
		}
		return nearest(MergedAnnotations.from(userClass, SearchStrategy.TYPE_HIERARCHY));
	}

	private static List<MergedAnnotation<DistributedLock>> nearest(MergedAnnotations all) {
		List<MergedAnnotation<DistributedLock>> found = all.stream(DistributedLock.class)
			.sorted(Comparator.comparingInt(MergedAnnotation::getAggregateIndex))
			.toList();
		return found.stream().filter((each) -> each.getAggregateIndex() == found.get(0).getAggregateIndex()).toList();
	}

	/**
	 * Return whether the compiler made a method as a copy: Kotlin makes a static copy of
	 * a suspending function, with its annotations. A bridge method is no copy, it calls
	 * the method itself.
	 * @param method the method
	 * @return {@code true} for a copy, which is never locked
	 */
	public static boolean isCopy(Method method) {
		return method.isSynthetic() && !method.isBridge();
	}

	/**
	 * Return whether an annotation stands on the method itself, or on one that it
	 * overrides.
	 */
	static boolean areOn(Method method) {
		return !isCopy(method)
				&& MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLock.class);
	}

}
