package io.distributedlock.redis.scripts;

import java.util.HashSet;
import java.util.Set;

import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TokenCountersTests {

	@Test
	void slotIsThatOfTheServer() {
		try (RedisTestServer server = RedisTestServer.run("--cluster-enabled", "yes")) {
			for (String key : new String[] { "", "123456789", "shop:lock:order:1", "{tag}:permits", "a{b}c{d}",
					"{}empty", "open{only", "closed}{first}", "schl\u00fcssel" }) {
				assertThat((long) TokenCounters.slot(key)).as(key).isEqualTo(server.command("CLUSTER", "KEYSLOT", key));
			}
		}
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
