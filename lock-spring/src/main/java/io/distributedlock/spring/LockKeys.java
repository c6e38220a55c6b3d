package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.distributedlock.LockRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * Gives the keys of one call.
 */
@FunctionalInterface
interface LockKeys {

	/**
	 * Whether the text of an object says what it is. The default one differs from JVM to
	 * JVM, and would give each its own lock.
	 */
	ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			try {
				Method text = type.getMethod("toString");
				return text.getDeclaringClass() != Object.class && (!isMade(text) || partsHaveText(type));
			}
			catch (NoSuchMethodException ex) {
				return false;
			}
		}

		/**
		 * The compiler makes that of a record final, from the texts of its parts.
		 */
		private boolean isMade(Method text) {
			return text.getDeclaringClass().isRecord() && Modifier.isFinal(text.getModifiers());
		}

		private boolean partsHaveText(Class<?> type) {
			return Arrays.stream(type.getRecordComponents())
				.map(RecordComponent::getType)
				.allMatch((part) -> part.isPrimitive() || part == type || mayHaveText(part));
		}

		/**
		 * What a part of a type that others extend is shows at the call only.
		 */
		private boolean mayHaveText(Class<?> part) {
			boolean open = part.isInterface() || Modifier.isAbstract(part.getModifiers()) || part == Object.class;
			return !part.isArray() && (open || LockKeys.HAS_TEXT.get(part));
		}

	};

	/**
	 * Return the request for one call.
	 * @param prototype the request, complete but for the key
	 * @param call the call
	 * @param target the object that it is made on
	 * @return the request for one key or for several
	 * @throws IllegalArgumentException if the arguments give no usable key
	 */
	LockRequest request(LockRequest prototype, MethodInvocation call, Object target);

	/**
	 * Return keys that an expression gives.
	 */
	static LockKeys of(LockExpression expression) {
		return (prototype, call, target) -> {
			Object value = expression.evaluate(call, target);
			if (value instanceof Collection<?> collection) {
				return prototype.withKeys(texts(collection, expression));
			}
			if (value != null && value.getClass().isArray()) {
				return prototype.withKeys(texts(Arrays.asList(ObjectUtils.toObjectArray(value)), expression));
			}
			return prototype.withKey(text(value, expression));
		};
	}

	private static List<String> texts(Collection<?> values, LockExpression expression) {
		if (values.isEmpty()) {
			throw expression.refused("gives no key: the collection is empty. Add a condition if that means no lock",
					null);
		}
		List<String> texts = new ArrayList<>(values.size());
		values.forEach((value) -> texts.add(text(value, expression)));
		return texts;
	}

	private static String text(@Nullable Object result, LockExpression expression) {
		Object value = (result instanceof Optional<?> optional) ? optional.orElse(null) : result;
		if (value == null) {
			throw expression.refused("is null", null);
		}
		if (value instanceof Collection<?> || value instanceof Map<?, ?> || value.getClass().isArray()) {
			throw expression.refused("is or contains a " + value.getClass().getSimpleName()
					+ ". Give one key, or a collection or an array of keys", null);
		}
		if (!HAS_TEXT.get(value.getClass())) {
			throw expression.refused("is a " + value.getClass().getName()
					+ " without a toString() of its own, or with an array or a part without one, whose text differs from JVM to JVM. Name a property of it",
					null);
		}
		String key = value.toString();
		if (key == null || key.isBlank()) {
			throw expression.refused("is blank", null);
		}
		return key;
	}

}
