package io.distributedlock;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DefaultKeyLayoutTests {

	@Test
	void partsStandInTheirOrder() {
		assertThat(key("order", "42")).isEqualTo("shop:lock:order:42");
		assertThat(LockKeyLayout.DEFAULT.fullKey("", "order", "42")).isEqualTo("order:42");
	}

	@Test
	void missingPartLeavesNoColon() {
		assertThat(key("", "nightly-report")).isEqualTo("shop:lock:nightly-report");
		assertThat(key("nightly-report", "")).isEqualTo("shop:lock:nightly-report");
		assertThat(LockKeyLayout.DEFAULT.fullKey("", "", "42")).isEqualTo("42");
		assertThat(LockKeyLayout.DEFAULT.fullKey("", "order", "")).isEqualTo("order");
	}

	@Test
	void whatABackendGivesMeaningToIsEscaped() {
		assertThat(key("n", "a:b")).isEqualTo("shop:lock:n:a%3Ab");
		assertThat(key("n", "a\r\nb c\u0000{}/%")).isEqualTo("shop:lock:n:a%0D%0Ab%20c%00%7B%7D%2F%25");
		assertThat(key("n", "..")).isEqualTo("shop:lock:n:%2E%2E");
		assertThat(key("n", "é")).isEqualTo("shop:lock:n:%C3%A9");
	}

	@Test
	void differentPairsNeverMeet() {
		List<String> parts = List.of("a", "b", "a:b", ":", "::", "a:", ":a", "%3A", "a%3Ab", "~", "~sha256~", "A", "a ",
				"x".repeat(500), "x".repeat(501), ".", "..");
		Set<String> keys = new HashSet<>();
		for (String name : parts) {
			for (String key : parts) {
				assertThat(keys.add(key(name, key))).as("%s + %s", name, key).isTrue();
			}
			// one lock, as the only exception
			assertThat(key(name, "")).isEqualTo(key("", name));
			assertThat(keys.add(key(name, ""))).as(name).isTrue();
		}
	}

	@Test
	void halfASurrogatePairIsRefused() {
		for (String cut : List.of("cut\ud83d", "\ude00cut", "\ude00\ud83d", "\ud83d\ud83d\ude00")) {
			assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> key("n", cut))
				.withMessageContaining("well-formed");
			assertThatIllegalArgumentException().isThrownBy(() -> key(cut, "k"));
			assertThatIllegalArgumentException().isThrownBy(() -> LockKeyLayout.DEFAULT.fullKey(cut, "n", "k"));
		}
		assertThat(key("n", "\ud83d\ude00")).isEqualTo("shop:lock:n:%F0%9F%98%80");
		assertThat(key("n", "?")).isEqualTo("shop:lock:n:%3F");
	}

	@Test
	void hugeKeysAreShortened() {
		assertThat(key("n", "x".repeat(100_000))).startsWith("shop:lock:~sha256~")
			.hasSizeLessThan(DefaultKeyLayout.MAX_LENGTH);
	}

	@Test
	void hugePrefixIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockKeyLayout.DEFAULT.fullKey("x".repeat(100), "", "k"));
	}

	private static String key(String name, String key) {
		return LockKeyLayout.DEFAULT.fullKey("shop:lock", name, key);
	}

}
