package io.distributedlock.spring.internal.expression;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import io.distributedlock.LockRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.util.ObjectUtils;

/**
 * Gives the keys of one call.
 */
@FunctionalInterface
public interface LockKeys {

	/**
	 * Return the request for one call.
	 * @param prototype the request, complete except for the key
	 * @param call the call
	 * @param target the object that it is made on
	 * @return the request for one key or for several
	 * @throws io.distributedlock.InvalidLockKeyException if the arguments give no key
	 * @throws IllegalArgumentException if they give something else than keys
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
			// such as the bytes of an id: not a key for each of them
			boolean isText = value instanceof byte[] || value instanceof char[];
			if (value != null && value.getClass().isArray() && !isText) {
				return prototype.withKeys(texts(Arrays.asList(ObjectUtils.toObjectArray(value)), expression));
			}
			return prototype.withKey(text(value, expression));
		};
	}

	private static List<String> texts(Collection<?> values, LockExpression expression) {
		if (values.isEmpty()) {
			throw expression.noKey("has no key: the collection is empty. Add a condition if such a call needs no lock",
					null);
		}
		List<String> texts = new ArrayList<>(values.size());
		values.forEach((value) -> texts.add(text(value, expression)));
		return texts;
	}

	private static String text(@Nullable Object value, LockExpression expression) {
		if (value instanceof Collection<?>) {
			throw expression.refused("contains a collection. Return one key, or a collection or an array of keys",
					null);
		}
		@Nullable String key;
		try {
			key = KeyTexts.of(value);
		}
		catch (EvaluationException ex) {
			throw expression.refused(ex);
		}
		if (key == null) {
			throw expression.noKey("is null. Use a value that is never null, or add a condition", null);
		}
		if (key.isBlank()) {
			throw expression.noKey("is blank. Use a value that is never blank, or add a condition", null);
		}
		return key;
	}

}
