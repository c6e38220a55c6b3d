package io.distributedlock.spring.internal.operation;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.annotation.ReleaseTime;
import io.distributedlock.spring.internal.expression.ExpressionSource;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * The attributes of one annotation, and the method that it stands on.
 *
 * @param annotation the annotation
 * @param method the method of the bean's class
 * @param userClass the class of the bean
 * @param placeholders resolves placeholders
 */
record LockAttributes(MergedAnnotation<DistributedLock> annotation, Method method, Class<?> userClass,
		UnaryOperator<@Nullable String> placeholders) implements ExpressionSource {

	private static final Set<String> NAMES = Arrays.stream(DistributedLock.class.getDeclaredMethods())
		.map(Method::getName)
		.collect(Collectors.toUnmodifiableSet());

	/**
	 * Return the method that the annotation stands on, which the method may override. If
	 * the annotation stands on a type, it is the method itself.
	 */
	@Override
	public Method annotated() {
		return (this.annotation.getSource() instanceof Method source
				&& source.getParameterCount() == this.method.getParameterCount()) ? source : this.method;
	}

	/**
	 * Require that what an annotation of the application says reaches the lock: Spring no
	 * longer connects attributes by their names.
	 */
	void requireAliases() {
		for (MergedAnnotation<?> own = this.annotation.getMetaSource(); own != null; own = own.getMetaSource()) {
			for (Method attribute : own.getType().getDeclaredMethods()) {
				if (NAMES.contains(attribute.getName()) && !isAlias(attribute)) {
					throw new InvalidLockOperationException(this.method, this.userClass,
							"the attribute %s of @%s does not reach the lock".formatted(attribute.getName(),
									own.getType().getSimpleName()),
							"Put @AliasFor(annotation = DistributedLock.class) on it, or give it another name", null);
				}
			}
		}
	}

	/**
	 * Return whether an attribute is an alias for one of another annotation, perhaps by a
	 * second attribute of its own.
	 */
	private static boolean isAlias(Method attribute) {
		return Arrays.stream(attribute.getDeclaringClass().getDeclaredMethods())
			.filter((each) -> each.equals(attribute) || isMirror(attribute, each) || isMirror(each, attribute))
			.map((each) -> each.getAnnotation(AliasFor.class))
			.anyMatch((alias) -> alias != null && alias.annotation() != Annotation.class);
	}

	private static boolean isMirror(Method attribute, Method other) {
		AliasFor alias = attribute.getAnnotation(AliasFor.class);
		return alias != null && alias.annotation() == Annotation.class
				&& (alias.value() + alias.attribute()).equals(other.getName());
	}

	boolean isExactKey() {
		return this.annotation.getBoolean("exactKey");
	}

	/**
	 * Return the name of a lock that is named by its method, so that it becomes another
	 * one when the method or its class gets another name.
	 */
	Optional<String> nameOfMethod() {
		return (text("name").isEmpty() && !isExactKey()) ? Optional.of(defaultName()) : Optional.empty();
	}

	/**
	 * Return the name of a lock whose annotation gives none: the full name of the method
	 * that the annotation stands on. With an annotation on a type it is the method of
	 * that type or of its subtype. A class made at run time, by a proxy or a lambda, and
	 * one that serves many types, such as the implementation of all repositories, does
	 * not appear in the name: the annotated type does.
	 */
	String defaultName() {
		Object source = this.annotation.getSource();
		if (source instanceof Method annotated) {
			return name(annotated.getDeclaringClass(), annotated);
		}
		Class<?> type = (source instanceof Class<?> annotated) ? annotated : this.userClass;
		Class<?> declaring = this.method.getDeclaringClass();
		return name((!isMadeAtRunTime(declaring) && type.isAssignableFrom(declaring)) ? declaring : type, this.method);
	}

	static boolean isMadeAtRunTime(Class<?> type) {
		return Proxy.isProxyClass(type) || type.isHidden() || type.isSynthetic();
	}

	private static String name(Class<?> type, Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getTypeName)
			.filter((parameter) -> !parameter.equals("kotlin.coroutines.Continuation"))
			.map((parameter) -> parameter.startsWith("java.lang.") ? parameter.substring("java.lang.".length())
					: parameter)
			.collect(Collectors.joining(",", type.getName() + "." + method.getName() + "(", ")"));
	}

	/**
	 * Return a text as the annotation has it.
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
			throw invalid(attribute, String.valueOf(ex.getMessage()), placeholderAction(attribute), ex);
		}
		refuseIf(resolved != null && resolved.contains("${"), attribute, "a placeholder in it cannot be resolved",
				placeholderAction(attribute));
		return (resolved != null) ? resolved : "";
	}

	private String placeholderAction(String attribute) {
		return "Set the property in %s, or give the placeholder a default, as in ${shop.name:default}"
			.formatted(raw(attribute));
	}

	<E extends Enum<E>> E choice(String attribute, Class<E> type) {
		return this.annotation.getEnum(attribute, type);
	}

	/**
	 * Return a time, written as in the properties of Spring Boot, but always with a unit;
	 * only 0 needs none.
	 * @return the time, {@code null} if the attribute is not set
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
			if (!text.equals(text.trim())) {
				throw new IllegalArgumentException("it has white space around it");
			}
			if (Character.isDigit(text.charAt(text.length() - 1))) {
				throw new IllegalArgumentException("it is a number without a unit");
			}
			DurationFormat.Style style = DurationFormatterUtils.detect(text);
			if (style == DurationFormat.Style.COMPOSITE) {
				throw new IllegalArgumentException("it has several parts");
			}
			duration = DurationFormatterUtils.parse(text, style);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(attribute, "not a duration: %s".formatted(ex.getMessage()),
					"Write it as 500ms, 30s, 5m or PT30S", ex);
		}
		refuseIf(duration.isNegative(), attribute, "the time is negative",
				"Write a positive one; a wait time of 0 makes one attempt");
		return duration;
	}

	/**
	 * Return whether the lock is kept until the end of the transaction that the method is
	 * called in.
	 */
	boolean afterTransaction(DistributedLockSettings settings) {
		ReleaseTime chosen = choice("release", ReleaseTime.class);
		ReleaseTime effective = (chosen != ReleaseTime.DEFAULT) ? chosen : settings.release();
		return OptionalLibraries.TRANSACTIONS && effective != ReleaseTime.AFTER_METHOD;
	}

	@Override
	public InvalidLockOperationException invalid(String attribute, String problem, String action,
			@Nullable Throwable cause) {
		return new InvalidLockOperationException(this.method, this.userClass,
				"%s = \"%s\": %s".formatted(attribute, value(attribute), problem), action, cause);
	}

	/**
	 * Return a value for a message, with its placeholders resolved if possible. Those in
	 * an expression are a mistake, which the message shows.
	 */
	private String value(String attribute) {
		String value = String.valueOf(this.annotation.getValue(attribute).orElse(""));
		try {
			boolean expression = attribute.equals("key") || attribute.equals("condition");
			return expression ? value : String.valueOf(this.placeholders.apply(value));
		}
		catch (IllegalArgumentException ex) {
			return value;
		}
	}

}
