package io.distributedlock.engine.internal.request;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.spi.LeaseTerm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockKeyFormatTests {

	private final LockKeyFormat format = new LockKeyFormat("shop:lock");

	@Test
	void partsStandInTheirOrder() {
		assertThat(key("order", "42")).isEqualTo("shop:lock:order:42");
		assertThat(this.format.format(LockRequest.of("42"))).isEqualTo("shop:lock::42");
		assertThat(new LockKeyFormat("").format(LockRequest.of("42").withName("order"))).isEqualTo("order:42");
		assertThat(new LockKeyFormat("").format(LockRequest.of("42"))).isEqualTo("42");
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
			assertThat(keys.add(this.format.format(LockRequest.of(name)))).as(name).isTrue();
		}
	}

	@Test
	void halfASurrogatePairIsRefused() {
		for (String cut : List.of("cut\ud83d", "\ude00cut", "\ude00\ud83d", "\ud83d\ud83d\ude00")) {
			assertThatIllegalArgumentException().isThrownBy(() -> key("n", cut)).withMessageContaining("well-formed");
			assertThatIllegalArgumentException().isThrownBy(() -> key(cut, "k"));
			assertThatIllegalArgumentException().isThrownBy(() -> new LockKeyFormat(cut));
		}
		assertThat(key("n", "\ud83d\ude00")).isEqualTo("shop:lock:n:%F0%9F%98%80");
		assertThat(key("n", "?")).isEqualTo("shop:lock:n:%3F");
	}

	@Test
	void hugeKeysAreShortened() {
		assertThat(key("n", "x".repeat(100_000))).startsWith("shop:lock:~sha256~")
			.hasSizeLessThan(LockKeyFormat.MAX_LENGTH);
	}

	@Test
	void hugePrefixIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockKeyFormat("x".repeat(100)));
	}

	@Test
	void localDeadlineLiesBeforeTheExpiry() {
		assertThat(new LeaseTerm(0, Duration.ofSeconds(30)).deadlineNanos())
			.isEqualTo(Duration.ofMillis(30_000 - 300 - 2).toNanos());
		assertThat(new LeaseTerm(0, Duration.ofMillis(5)).deadlineNanos()).isEqualTo(Duration.ofMillis(4).toNanos());
		assertThat(LockTimes.wholeMillis(Duration.ofNanos(1))).isEqualTo(Duration.ofMillis(1));
		assertThat(LockTimes.wholeMillis(Duration.ofNanos(1_000_001))).isEqualTo(Duration.ofMillis(2));
	}

	private String key(String name, String key) {
		return this.format.format(LockRequest.of(key).withName(name));
	}

}
