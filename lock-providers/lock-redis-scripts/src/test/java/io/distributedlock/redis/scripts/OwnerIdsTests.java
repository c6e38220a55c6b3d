package io.distributedlock.redis.scripts;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OwnerIdsTests {

	@Test
	void namesAreShortAndNeverTheSame() {
		OwnerIds first = new OwnerIds();
		OwnerIds second = new OwnerIds();
		Set<String> names = ConcurrentHashMap.newKeySet();
		IntStream.range(0, 100_000).parallel().forEach((i) -> {
			names.add(first.owner(first.nextNumber()));
			names.add(second.owner(second.nextNumber()));
		});
		assertThat(names).hasSize(200_000)
			.allSatisfy((name) -> assertThat(name).hasSizeLessThan(20).matches("[\\w-]+\\.[\\w-]+"))
			.anySatisfy((name) -> assertThat(name).startsWith(first.jvm() + "."));
	}

}
