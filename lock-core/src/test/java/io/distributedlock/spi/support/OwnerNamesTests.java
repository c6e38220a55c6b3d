package io.distributedlock.spi.support;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OwnerNamesTests {

	@Test
	void noNameIsGivenTwice() {
		OwnerNames one = new OwnerNames();
		OwnerNames other = new OwnerNames();
		Set<String> names = ConcurrentHashMap.newKeySet();
		IntStream.range(0, 200_000).parallel().forEach((i) -> names.add(((i % 2 == 0) ? one : other).next()));
		assertThat(names).hasSize(200_000).allSatisfy((name) -> assertThat(name).matches("[0-9a-f-]{1,53}"));
	}

}
