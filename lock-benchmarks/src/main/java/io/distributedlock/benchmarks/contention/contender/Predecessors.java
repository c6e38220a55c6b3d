package io.distributedlock.benchmarks.contention.contender;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Those in line for whose end somebody waits. The message that one has ended may come
 * before anybody waits for it.
 */
final class Predecessors {

	private final Map<String, CompletableFuture<Boolean>> byName = new ConcurrentHashMap<>();

	void ended(String name) {
		of(name).complete(true);
	}

	void awaitEnd(String name) throws Exception {
		of(name).get();
		this.byName.remove(name);
	}

	private CompletableFuture<Boolean> of(String name) {
		return this.byName.computeIfAbsent(name, (key) -> new CompletableFuture<>());
	}

}
