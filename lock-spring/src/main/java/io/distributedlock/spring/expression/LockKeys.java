package io.distributedlock.spring.expression;

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
 * Gives the keys of one call. Internal: public only for the package that reads
 * annotations.
 */
@FunctionalInterface
public interface LockKeys {

	/**
	 * The message for a value that {@link KeyTexts} refuses.
	 */
	String NO_TEXT = "without a toString() of its own, or has an array or a part without one inside: its text differs from JVM to JVM. Use a property of it as the key";

	/**
	 * Return the request for one call.
	 * @param prototype the request, complete except for the key
	 * @param call the call
	 * @param target the object that it is made on
	 * @return the request for one key or for several
	 * @throws IllegalArgumentException if the arguments give no usable key
	 */
	LockRequest request(LockRequest prototype, MethodInvocation call, Object target);

	/**
	 * Return keys that an expression gives.
	 * @param expression the expression
	 * @return the keys
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
			throw expression
				.refused("has no key: the collection is empty. Add a condition if such a call needs no lock", null);
		}
		List<String> texts = new ArrayList<>(values.size());
		values.forEach((value) -> texts.add(text(value, expression)));
		return texts;
	}

	private static String text(@Nullable Object result, LockExpression expression) {
		Object value = result;
		while (value instanceof Optional<?> optional) {
			value = optional.orElse(null);
		}
		if (value == null) {
			throw expression.refused("is null. Use a value that is never null, or add a condition", null);
		}
		if (value instanceof Collection<?> || value instanceof Map<?, ?> || value.getClass().isArray()) {
			throw expression.refused("is or contains a " + value.getClass().getSimpleName()
					+ ". Return one key, or a collection or an array of keys", null);
		}
		if (!KeyTexts.areOf(value)) {
			throw expression.refused("is a " + value.getClass().getName() + " " + NO_TEXT, null);
		}
		String key = value.toString();
		if (key == null || key.isBlank()) {
			throw expression.refused("is blank. Use a value that is never blank, or add a condition", null);
		}
		return key;
	}

}
