package io.distributedlock.examples;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;

@Service
class Imports {

	private final Parser parser;

	private final Executor executor;

	Imports(Parser parser, Executor executor) {
		this.parser = parser;
		this.executor = executor;
	}

	@DistributedLock("#file")
	public OptionalLong load(String file) {
		LockHandle lock = LockContext.current();
		lock.onLost((loss) -> this.parser.stop());
		if (lock.remaining().compareTo(Duration.ofMinutes(1)) < 0) {
			lock.extend(Duration.ofMinutes(5));
		}
		this.parser.parse(file);
		lock.ensureHeld();
		return lock.fencingToken();
	}

	@DistributedLock("#file")
	public String loadWith(String file, @Nullable LockHandle lock) {
		return (lock != null) ? lock.key() : "not locked";
	}

	@DistributedLock("#file")
	public void loadParts(String file, List<String> parts) {
		LockContext locks = LockContext.capture();
		CompletableFuture<?>[] work = parts.stream()
			.map((part) -> CompletableFuture.runAsync(locks.wrap(() -> this.parser.parse(part)), this.executor))
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(work).join(); // then the lock is released
	}

	interface Parser {

		void parse(String file);

		void stop();

	}

}
