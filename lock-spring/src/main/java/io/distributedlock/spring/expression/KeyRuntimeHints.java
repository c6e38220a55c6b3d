package io.distributedlock.spring.expression;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * What the evaluation of every key reads by reflection: the getters of {@code #root}, and
 * whether the value has a {@code toString()} of its own. Without a hint a value seems to
 * have none, and the call is refused.
 */
class KeyRuntimeHints implements RuntimeHintsRegistrar {

	/**
	 * Types of the JDK that are keys.
	 */
	private static final List<Class<?>> KEYS = List.of(Object.class, Number.class, Enum.class, Record.class,
			String.class, Boolean.class, Character.class, Byte.class, Short.class, Integer.class, Long.class,
			Float.class, Double.class, BigInteger.class, BigDecimal.class, UUID.class, URI.class, Locale.class,
			Currency.class, Instant.class, LocalDate.class, LocalTime.class, LocalDateTime.class, OffsetDateTime.class,
			ZonedDateTime.class, Year.class, YearMonth.class);

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection().registerType(LockKeyRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		KEYS.forEach((type) -> hints.reflection().registerType(type));
	}

}
