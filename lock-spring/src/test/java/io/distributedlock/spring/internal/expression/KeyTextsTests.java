package io.distributedlock.spring.internal.expression;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyTextsTests {

	/**
	 * Makes many kinds of values, of which each gives values that are alike.
	 */
	@Test
	void differentValuesHaveDifferentTexts() {
		Random random = new Random();
		long seed = random.nextLong();
		random.setSeed(seed);
		for (int i = 0; i < 300; i++) {
			Function<Random, @Nullable Object> kind = kind(random, 3);
			Map<String, Optional<Object>> values = new HashMap<>();
			for (int j = 0; j < 300; j++) {
				Optional<Object> value = Optional.ofNullable(kind.apply(random));
				// an empty Optional is null, which is no key and between other texts
				// 'null'
				Optional<Object> before = values.putIfAbsent(String.valueOf(KeyTexts.of(new Holder(value))), value);
				assertThat(before).as("seed %s", seed).isIn(null, value);
			}
		}
	}

	private static Function<Random, @Nullable Object> kind(Random random, int depth) {
		int kind = random.nextInt((depth > 0) ? 7 : 4);
		if (kind > 3) {
			Function<Random, @Nullable Object> first = kind(random, depth - 1);
			Function<Random, @Nullable Object> second = kind(random, depth - 1);
			return switch (kind) {
				case 4 -> (next) -> list(next, first);
				case 5 -> (next) -> new Holder(first.apply(next));
				default -> (next) -> new Both(first.apply(next), second.apply(next));
			};
		}
		return switch (kind) {
			case 0 -> (next) -> next.nextInt(-20, 20);
			case 1 -> (next) -> next.nextBoolean() ? TimeUnit.DAYS : TimeUnit.HOURS;
			case 2 ->
				(next) -> next.nextBoolean() ? new UUID(0, next.nextInt(9)) : Instant.ofEpochMilli(next.nextInt(9));
			default -> KeyTextsTests::text;
		};
	}

	private static List<@Nullable Object> list(Random random, Function<Random, @Nullable Object> kind) {
		List<@Nullable Object> list = new ArrayList<>();
		for (int i = random.nextInt(4); i > 0; i--) {
			list.add(kind.apply(random));
		}
		return list;
	}

	private static @Nullable String text(Random random) {
		if (random.nextInt(9) == 0) {
			return random.nextBoolean() ? null : "null";
		}
		StringBuilder text = new StringBuilder();
		for (int i = random.nextInt(4); i > 0; i--) {
			text.append("a,[]\\'".charAt(random.nextInt(6)));
		}
		return text.toString();
	}

	record Holder(@Nullable Object value) {
	}

	record Both(@Nullable Object first, @Nullable Object second) {
	}

}
