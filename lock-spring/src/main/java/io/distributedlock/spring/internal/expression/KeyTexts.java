package io.distributedlock.spring.internal.expression;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.expression.EvaluationException;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The closed list of what can be a key or a part of one, and the text of each value.
 * Equal values have one text in every JVM, whatever its locale, time zone and hash seed.
 * Different values of a type have different texts. Everything else is refused, since a
 * text that differs from JVM to JVM would give each JVM a lock of its own.
 */
public final class KeyTexts {

	private static final ClassValue<Writer> OF_CLASS = new ClassValue<>() {

		@Override
		protected Writer computeValue(Class<?> type) {
			return KeyTexts.ofClass(type);
		}

	};

	/**
	 * What the Kotlin compiler calls to unbox a value class. It passes most arguments of
	 * such a class unboxed, and those of a nullable or generic type boxed.
	 */
	private static final ClassValue<Optional<Method>> UNBOX = new ClassValue<>() {

		@Override
		protected Optional<Method> computeValue(Class<?> type) {
			return !KotlinDetector.isKotlinType(type) ? Optional.empty()
					: Optional.ofNullable(ReflectionUtils.findMethod(type, "unbox-impl"))
						.filter(Method::trySetAccessible);
		}

	};

	/**
	 * The functions that the Kotlin compiler gives a data class. The name goes on if a
	 * component is internal, or of a value class.
	 */
	private static final Pattern COMPONENT = Pattern.compile("component\\d+([$-].*)?");

	/**
	 * What tells a data class from a class that declares components itself: the defaults
	 * of its function {@code copy}.
	 */
	private static final Pattern COPY = Pattern.compile("copy([$-].*)?\\$default");

	private static final Pattern SEPARATORS = Pattern.compile("[\\\\,\\[\\]]");

	private KeyTexts() {
	}

	/**
	 * Return the text of a value.
	 * @param value the value
	 * @return its text, {@code null} for {@code null} and for an empty {@code Optional}
	 * @throws EvaluationException if the value, or one inside of it, is not on the list
	 */
	public static @Nullable String of(@Nullable Object value) {
		Object unwrapped = unwrapped(value);
		return (unwrapped != null) ? write(unwrapped, false) : null;
	}

	/**
	 * Return the value of an {@code Optional}, {@code null} for an empty one, that of a
	 * Kotlin value class, and other values as they are.
	 */
	static @Nullable Object unwrapped(@Nullable Object value) {
		if (value instanceof Optional<?> optional) {
			return unwrapped(optional.orElse(null));
		}
		Method unbox = (value != null) ? UNBOX.get(value.getClass()).orElse(null) : null;
		return (unbox != null) ? unwrapped(ReflectionUtils.invokeMethod(unbox, value)) : value;
	}

	/**
	 * Write a value.
	 * @param inside whether it stands between others
	 */
	private static String write(Object value, boolean inside) {
		if (value instanceof Enum<?> constant) {
			return plain(constant.name(), inside);
		}
		if (value instanceof List<?> list) {
			return joined(list.stream());
		}
		if (value instanceof Locale locale) {
			return plain(tag(locale), inside);
		}
		return isValueOfJdk(value) ? plain(value.toString(), inside)
				: OF_CLASS.get(value.getClass()).write(value, inside);
	}

	/**
	 * Return the language tag of a locale. One whose parts are no well-formed tag has
	 * that of another.
	 */
	private static String tag(Locale locale) {
		String tag = locale.toLanguageTag();
		if (!Locale.forLanguageTag(tag).equals(locale)) {
			throw new EvaluationException(
					"A locale that has the language tag of another one can be no part of a key. Use a property of it, such as #locale.language");
		}
		return tag;
	}

	private static boolean isValueOfJdk(Object value) {
		return value instanceof Boolean || value instanceof Character || value instanceof UUID
				|| value instanceof Currency
				|| ((value instanceof CharSequence || value instanceof Number) && isOfJdk(value.getClass()))
				|| isOfTime(value);
	}

	/**
	 * Return whether a value is one of {@code java.time}. A clock, which is there too, is
	 * no value.
	 */
	private static boolean isOfTime(Object value) {
		return value.getClass().getPackageName().equals("java.time")
				&& (value instanceof TemporalAccessor || value instanceof TemporalAmount || value instanceof ZoneId);
	}

	private static boolean isOfJdk(Class<?> type) {
		String module = type.getModule().getName();
		return module != null && (module.startsWith("java.") || module.startsWith("jdk."));
	}

	private static Writer ofClass(Class<?> type) {
		Method text = ReflectionUtils.findMethod(type, "toString");
		List<Method> components = components(type);
		if (text == null || isOfJdk(text.getDeclaringClass()) || Iterable.class.isAssignableFrom(type)
				|| Map.class.isAssignableFrom(type) || isProxy(type)
				|| !components.stream().allMatch(Method::trySetAccessible)) {
			return (value, inside) -> {
				throw refused(type);
			};
		}
		// toString() of a record is final if the compiler made it, but not if that of
		// Kotlin did
		boolean ownText = type.isRecord() && !Modifier.isFinal(text.getModifiers())
				&& !KotlinDetector.isKotlinType(type);
		if (components.isEmpty() || ownText) {
			return (value, inside) -> plain(told(value), inside);
		}
		return (value, inside) -> type.getSimpleName()
				+ joined(components.stream().map((each) -> ReflectionUtils.invokeMethod(each, value)));
	}

	/**
	 * Return the text that a class of the application tells, which may be wrong.
	 */
	private static String told(Object value) {
		@Nullable String text = value.toString();
		if (text == null) {
			throw new NullPartException(
					value.getClass().getTypeName() + ".toString() returned null. Return a text, or use a property");
		}
		return text;
	}

	/**
	 * Return what reads the components of a record or of a Kotlin data class, none for
	 * other classes. Their {@code toString()} joins the texts of the components as they
	 * are: a set gives it another order in each JVM.
	 */
	private static List<Method> components(Class<?> type) {
		if (type.isRecord()) {
			return Arrays.stream(type.getRecordComponents()).map(RecordComponent::getAccessor).toList();
		}
		if (!KotlinDetector.isKotlinType(type) || named(COPY, type).findAny().isEmpty()) {
			return List.of();
		}
		return named(COMPONENT, type).filter((method) -> method.getParameterCount() == 0)
			.sorted(Comparator.comparing(Method::getName))
			.toList();
	}

	private static Stream<Method> named(Pattern name, Class<?> type) {
		return Arrays.stream(type.getDeclaredMethods()).filter((method) -> name.matcher(method.getName()).matches());
	}

	private static String joined(Stream<?> values) {
		return values.map(KeyTexts::unwrapped)
			.map((value) -> (value != null) ? write(value, true) : "null")
			.collect(Collectors.joining(",", "[", "]"));
	}

	/**
	 * Write a text without parts. Between others nothing but null reads null, and no text
	 * is empty, since an empty list has none.
	 */
	private static String plain(String text, boolean inside) {
		if (!inside) {
			return text;
		}
		return (text.isEmpty() || text.equals("null")) ? "\\'" + text : SEPARATORS.matcher(text).replaceAll("\\\\$0");
	}

	/**
	 * Return whether a class was made at run time to stand for another object, whose
	 * text, or whose identity, its {@code toString()} tells.
	 */
	private static boolean isProxy(Class<?> type) {
		return Proxy.isProxyClass(type) || type.getName().contains(ClassUtils.CGLIB_CLASS_SEPARATOR)
				|| ClassUtils.getAllInterfacesForClassAsSet(type)
					.stream()
					.anyMatch((each) -> each.getSimpleName().endsWith("Proxy"));
	}

	private static EvaluationException refused(Class<?> type) {
		return new EvaluationException(
				"%s can be no part of a key, because its text may differ from JVM to JVM. Use a property of it, such as #order.id"
					.formatted(type.getTypeName()));
	}

	/**
	 * Writes the values of a class.
	 */
	@FunctionalInterface
	private interface Writer {

		String write(Object value, boolean inside);

	}

}
