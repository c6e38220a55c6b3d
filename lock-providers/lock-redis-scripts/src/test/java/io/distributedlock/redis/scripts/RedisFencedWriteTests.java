package io.distributedlock.redis.scripts;

import io.distributedlock.fencing.StaleTokenException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RedisFencedWriteTests {

	@ParameterizedTest
	@CsvSource({ "price:1, {price:1}:fence", "{price:1}:net, {price:1}:net:fence", "a{b}c, a{b}c:fence",
			"a{}c, {a{}c}:fence" })
	void highestTokenIsInTheSlotOfItsKey(String key, String highestToken) {
		assertThat(new RedisFencedWrite(key, 1, "new").keys()).containsExactly(key, highestToken);
	}

	@Test
	void deletionHasNoValue() {
		assertThat(new RedisFencedWrite("k", 7, "new").arguments()).containsExactly("7", "new");
		assertThat(new RedisFencedWrite("k", 7, null).arguments()).containsExactly("7");
	}

	@Test
	void higherTokenRefusesTheWrite() {
		RedisFencedWrite write = new RedisFencedWrite("mapped:k", 7, "new");
		assertThatCode(() -> write.check("k", 0)).doesNotThrowAnyException();
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> write.check("k", 8))
			.withMessageContaining("key 'k'")
			.satisfies((ex) -> assertThat(ex.getHighestToken()).isEqualTo(8));
	}

}
