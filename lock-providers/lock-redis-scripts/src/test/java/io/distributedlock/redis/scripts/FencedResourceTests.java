package io.distributedlock.redis.scripts;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The writes are tested with each client, on a server.
 */
class FencedResourceTests {

	@ParameterizedTest
	@CsvSource({ "price:1, {price:1}:fence", "{price:1}:net, {price:1}:net:fence", "a{b}c, a{b}c:fence",
			"a{}c, {a{}c}:fence" })
	void highestTokenIsInTheSlotOfItsKey(String key, String highestToken) {
		assertThat(FencedResource.highestTokenOf(key)).isEqualTo(highestToken);
	}

}
