package io.distributedlock.spring.expression;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * Knows whether the text of a value identifies the value. The text of
 * {@code Object.toString()} differs from JVM to JVM, so each JVM would have a lock of its
 * own. The answer is found once for each class if possible; otherwise the values inside
 * of the object are checked at each call.
 */
final class KeyTexts {

	private static final Look ALWAYS = (value) -> true;

	private static final Look NEVER = (value) -> false;

	private static final ClassValue<Look> BY_CLASS = new ClassValue<>() {

		@Override
		protected Look computeValue(Class<?> type) {
			return KeyTexts.of(type);
		}

	};

	private KeyTexts() {
	}

	/**
	 * Return whether a value has a text of its own, and all values that it is made of
	 * have one, too.
	 */
	static boolean areOf(@Nullable Object value) {
		return value == null || BY_CLASS.get(value.getClass()).at(value);
	}

	private static Look of(Class<?> type) {
		if (Collection.class.isAssignableFrom(type)) {
			return (value) -> allOf((Collection<?>) value);
		}
		if (Map.class.isAssignableFrom(type)) {
			return (value) -> allOf(((Map<?, ?>) value).entrySet());
		}
		if (Map.Entry.class.isAssignableFrom(type)) {
			return (value) -> areOf(((Map.Entry<?, ?>) value).getKey()) && areOf(((Map.Entry<?, ?>) value).getValue());
		}
		if (type == Optional.class) {
			return (value) -> areOf(((Optional<?>) value).orElse(null));
		}
		if (type == AtomicReference.class) {
			return (value) -> areOf(((AtomicReference<?>) value).get());
		}
		Method text = ReflectionUtils.findMethod(type, "toString");
		if (type.isArray() || text == null || text.getDeclaringClass() == Object.class) {
			return NEVER;
		}
		// toString() of a record is final if the compiler made it, from the components
		boolean ofTheCompiler = type.isRecord() && Modifier.isFinal(text.getModifiers());
		return ofTheCompiler ? ofRecord(type) : ALWAYS;
	}

	private static boolean allOf(Collection<?> values) {
		for (Object value : values) {
			if (!areOf(value)) {
				return false;
			}
		}
		return true;
	}

	private static Look ofRecord(Class<?> type) {
		List<Field> open = new ArrayList<>();
		for (RecordComponent component : type.getRecordComponents()) {
			if (!isPlain(component.getType())) {
				// toString() reads the field, not the accessor
				Field part = ReflectionUtils.findField(type, component.getName());
				if (part == null || !part.trySetAccessible()) {
					return NEVER;
				}
				open.add(part);
			}
		}
		return open.isEmpty() ? ALWAYS : (value) -> {
			for (Field part : open) {
				if (!areOf(ReflectionUtils.getField(part, value))) {
					return false;
				}
			}
			return true;
		};
	}

	/**
	 * Return whether every value of a type has a text of its own, so that no value needs
	 * a check.
	 */
	private static boolean isPlain(Class<?> type) {
		return type.isPrimitive() || type.isEnum() || (Modifier.isFinal(type.getModifiers()) && !type.isArray()
				&& !type.isRecord() && BY_CLASS.get(type) == ALWAYS);
	}

	/**
	 * Tells whether a value of a class has a text of its own.
	 */
	@FunctionalInterface
	private interface Look {

		boolean at(Object value);

	}

}
