package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.ReleaseTime;
import io.distributedlock.spring.expression.ExpressionSource;
import io.distributedlock.spring.support.OptionalLibraries;
import io.distributedlock.spring.transaction.LockRelease;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * The attributes of one annotation, and the method that it stands on.
 */
final class LockAttributes implements ExpressionSource {

	private final MergedAnnotation<DistributedLock> annotation;

	private final Method method;

	private final Class<?> userClass;

	private final UnaryOperator<@Nullable String> placeholders;

	LockAttributes(MergedAnnotation<DistributedLock> annotation, Method method, Class<?> userClass,
			UnaryOperator<@Nullable String> placeholders) {
		this.annotation = annotation;
		this.method = method;
		this.userClass = userClass;
		this.placeholders = placeholders;
	}

	@Override
	public Method method() {
		return this.method;
	}

	/**
	 * Return the method that the annotation stands on, which the method may override. It
	 * is the method itself where the annotation stands on a type.
	 */
	@Override
	public Method annotated() {
		return (this.annotation.getSource() instanceof Method source
				&& source.getParameterCount() == this.method.getParameterCount()) ? source : this.method;
	}

	Class<?> userClass() {
		return this.userClass;
	}

	/**
	 * Return what a lock is called that has no name: the whole name of the method that
	 * the annotation stands on. One on a type stands for the methods of that type and of
	 * those below it, but not for what is made at run time, by a proxy or a lambda, or
	 * serves many types, as the implementation of all repositories does.
	 */
	String defaultName() {
		Object source = this.annotation.getSource();
		if (source instanceof Method annotated) {
			return name(annotated.getDeclaringClass(), annotated);
		}
		Class<?> type = (source instanceof Class<?> annotated) ? annotated : this.userClass;
		Class<?> declaring = this.method.getDeclaringClass();
		boolean madeAtRunTime = Proxy.isProxyClass(declaring) || declaring.isHidden() || declaring.isSynthetic();
		return name((!madeAtRunTime && type.isAssignableFrom(declaring)) ? declaring : type, this.method);
	}

	private static String name(Class<?> type, Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getTypeName)
			.filter((parameter) -> !parameter.equals("kotlin.coroutines.Continuation"))
			.map((parameter) -> parameter.startsWith("java.lang.") ? parameter.substring("java.lang.".length())
					: parameter)
			.collect(Collectors.joining(",", type.getName() + "." + method.getName() + "(", ")"));
	}

	MergedAnnotation<DistributedLock> annotation() {
		return this.annotation;
	}

	/**
	 * Return a text as it is written.
	 */
	@Override
	public String raw(String attribute) {
		return this.annotation.getString(attribute);
	}

	/**
	 * Return a text with its placeholders resolved.
	 */
	String text(String attribute) {
		return resolved(attribute).trim();
	}

	private String resolved(String attribute) {
		String resolved;
		try {
			resolved = this.placeholders.apply(raw(attribute));
		}
		catch (IllegalArgumentException ex) {
			throw invalid(attribute, "%s. Set the property".formatted(ex.getMessage()), ex);
		}
		if (resolved != null && resolved.contains("${")) {
			throw invalid(attribute, "a placeholder in it is not resolved. Set the property", null);
		}
		return (resolved != null) ? resolved : "";
	}

	<E extends Enum<E>> E choice(String attribute, Class<E> type) {
		return this.annotation.getEnum(attribute, type);
	}

	/**
	 * Return a time, written as Spring Boot reads it from properties.
	 * @return the time, {@code null} where the attribute says nothing
	 */
	@Nullable Duration duration(String attribute) {
		String text = resolved(attribute);
		if (text.isBlank()) {
			return null;
		}
		if (text.equals("0")) {
			return Duration.ZERO;
		}
		Duration duration;
		try {
			if (Character.isDigit(text.charAt(text.length() - 1))) {
				throw new IllegalArgumentException("a number without a unit");
			}
			DurationFormat.Style style = DurationFormatterUtils.detect(text);
			if (style == DurationFormat.Style.COMPOSITE) {
				throw new IllegalArgumentException("of several parts, which properties do not know");
			}
			duration = DurationFormatterUtils.parse(text, style);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(attribute, "no duration: %s. Write 500ms, 30s, 5m or PT30S".formatted(ex.getMessage()), ex);
		}
		if (duration.isNegative()) {
			throw invalid(attribute, "a time is not negative; 0 makes one attempt where it is a wait time", null);
		}
		return duration;
	}

	/**
	 * Return when the lock is released.
	 */
	LockRelease release(DistributedLockSettings settings) {
		ReleaseTime chosen = choice("release", ReleaseTime.class);
		ReleaseTime effective = (chosen != ReleaseTime.DEFAULT) ? chosen : settings.release();
		return new LockRelease(OptionalLibraries.TRANSACTIONS && effective != ReleaseTime.AFTER_METHOD,
				OptionalLibraries.TRANSACTIONS && settings.verifyBeforeCommit());
	}

	@Override
	public InvalidLockOperationException invalid(String attribute, String problem, @Nullable Throwable cause) {
		return new InvalidLockOperationException(this.method, this.userClass, attribute, value(attribute), problem,
				cause);
	}

	/**
	 * Return a value as a reader would look for it: resolved where it can be.
	 */
	private String value(String attribute) {
		String value = String.valueOf(this.annotation.getValue(attribute).orElse(""));
		try {
			return String.valueOf(this.placeholders.apply(value));
		}
		catch (IllegalArgumentException ex) {
			return value;
		}
	}

}
