package io.distributedlock.examples;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

class InsideExampleTests extends OnEveryProvider {

	@Test
	void methodKnowsItsLock() {
		Imports imports = node(Imports.class).getBean(Imports.class);
		assertThat(imports.load("a")).isPresent();
		assertThat(imports.loadWith("b", null)).endsWith(":b");
	}

	@Test
	void otherThreadReentersWhatItIsHanded() {
		ConfigurableApplicationContext node = node(Imports.class);
		LockTemplate lockTemplate = locks(node);
		try (LockHandle lock = lockTemplate.acquire("import")) {
			assertThat(CompletableFuture.supplyAsync(() -> lockTemplate.tryAcquire("import")).join()).isEmpty();
			LockContext context = LockContext.capture();
			Supplier<String> step = context.wrap(() -> {
				LockContext.current().ensureHeld();
				return lockTemplate.execute("import", () -> "inside");
			});
			assertThat(CompletableFuture.supplyAsync(step).join()).isEqualTo("inside");
			assertThat(lock.isValid()).isTrue();
		}
	}

	static class Imports {

		@DistributedLock("#file")
		public OptionalLong load(String file) {
			LockHandle lock = LockContext.current();
			lock.onLost((loss) -> stop());
			if (lock.remaining().compareTo(Duration.ofMinutes(1)) < 0) {
				lock.extend(Duration.ofMinutes(5));
			}
			lock.ensureHeld();
			return lock.fencingToken();
		}

		@DistributedLock("#file")
		public String loadWith(String file, @Nullable LockHandle lock) {
			return (lock != null) ? lock.key() : "not locked";
		}

		private void stop() {
		}

	}

}
