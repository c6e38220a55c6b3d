package io.distributedlock.redis.scripts;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TokenCountersTests {

	@ParameterizedTest
	@CsvSource({ "123456789, 12739", "foo, 12182", "{foo}:bar, 12182", "'', 0" })
	void slotIsThatOfRedis(String key, int slot) {
		// each number as CLUSTER KEYSLOT answers it
		assertThat(TokenCounters.slot(key)).isEqualTo(slot);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void counterIsInTheSlotOfItsKeysWhateverTheConnectionLooksLike(boolean cluster) {
		TokenCounters counters = new TokenCounters("shop:lock", cluster);
		assertThat(counters.channel("jvm")).isEqualTo("shop:lock:jvm");
		Set<String> names = new HashSet<>();
		for (int i = 0; i < 300_000; i++) {
			String key = "order:" + i;
			String counter = counters.counter(key);
			assertThat(TokenCounters.slot(counter)).isEqualTo(TokenCounters.slot(key));
			names.add(counter);
		}
		assertThat(names).hasSize(16384).allSatisfy((name) -> assertThat(name).hasSizeLessThan(18));
	}

	@Test
	void bracesInThePrefixAreReplaced() {
		assertThat(new TokenCounters("{shop}", false).counter("k")).startsWith("_shop_:{");
	}

}
