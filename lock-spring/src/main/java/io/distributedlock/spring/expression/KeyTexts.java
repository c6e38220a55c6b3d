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
 * Knows whether the text of a value says what it is. The default one differs from JVM to
 * JVM, and would give each its own lock. What a class shows is found once; where it shows
 * too little, the values in it are looked at.
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
	 * Return whether a value has a text of its own, and so has what that text is made of.
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
		// the compiler makes that of a record final, from the texts of its parts
		boolean made = type.isRecord() && Modifier.isFinal(text.getModifiers());
		return made ? ofRecord(type) : ALWAYS;
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
				// what the text is made of, whatever the accessor gives
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
	 * Return whether every value of a type has a text, which is not to be looked at then.
	 */
	private static boolean isPlain(Class<?> type) {
		return type.isPrimitive() || type.isEnum() || (Modifier.isFinal(type.getModifiers()) && !type.isArray()
				&& !type.isRecord() && BY_CLASS.get(type) == ALWAYS);
	}

	/**
	 * Whether a value of a class has a text.
	 */
	@FunctionalInterface
	private interface Look {

		boolean at(Object value);

	}

}
