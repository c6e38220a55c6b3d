package io.distributedlock.spring.internal.expression;

import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.spel.support.StandardTypeConverter;

/**
 * Converts values while an expression makes a key: a text is one of {@link KeyTexts}
 * wherever the expression needs one. Thread-safe.
 */
final class KeyConverter extends StandardTypeConverter {

	@Override
	public boolean canConvert(@Nullable TypeDescriptor from, TypeDescriptor to) {
		return to.getType() == String.class || super.canConvert(from, to);
	}

	@Override
	public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor from, TypeDescriptor to) {
		return (to.getType() == String.class) ? KeyTexts.of(value) : super.convertValue(value, from, to);
	}

}
