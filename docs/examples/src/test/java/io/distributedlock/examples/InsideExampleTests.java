package io.distributedlock.examples;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

class InsideExampleTests extends OnEveryProvider {

	@Test
	void methodKnowsItsLock() {
		Imports imports = node(Imports.class, RecordingParser.class).getBean(Imports.class);
		assertThat(imports.load("a")).isPresent();
		assertThat(imports.loadWith("b", null)).endsWith(":b");
	}

	@Test
	void otherThreadsFindTheLockThatTheyAreHanded() {
		ConfigurableApplicationContext node = node(Imports.class, RecordingParser.class);
		node.getBean(Imports.class).loadParts("c", List.of("1", "2"));
		assertThat(node.getBean(RecordingParser.class).locks()).hasSize(1)
			.allSatisfy((key) -> assertThat(key).endsWith(":c"));
	}

	@Test
	void otherThreadReentersTheLockThatItIsHanded() {
		LockTemplate lockTemplate = locks(node());
		try (LockHandle lock = lockTemplate.acquire("import")) {
			assertThat(CompletableFuture.supplyAsync(() -> lockTemplate.tryAcquire("import")).join()).isEmpty();
			Supplier<String> step = LockContext.capture().wrap(() -> lockTemplate.execute("import", () -> "inside"));
			assertThat(CompletableFuture.supplyAsync(step).join()).isEqualTo("inside");
			assertThat(lock.isValid()).isTrue();
		}
	}

	static class RecordingParser implements Imports.Parser {

		private final Set<String> locks = ConcurrentHashMap.newKeySet();

		@Override
		public void parse(String file) {
			this.locks.add(LockContext.current().key());
		}

		@Override
		public void stop() {
		}

		Set<String> locks() {
			return this.locks;
		}

	}

}
