package io.distributedlock.spring.transaction;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.core.Ordered;
import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.transaction.reactive.TransactionSynchronization;

/**
 * The context of a chain that runs under locks: no transaction that begins in the chain
 * commits without them, whoever begins it. A listener on the managers, as there is one
 * for the transactions of threads, is not told of the chain. But a manager asks the chain
 * for Spring's transaction before it commits, and here the check joins that.
 */
final class LockedContext implements Context {

	private final Context values;

	private final Check check;

	/**
	 * What the check has joined, or need not join: the transaction that the method was
	 * called in.
	 */
	private final AtomicReference<@Nullable Set<TransactionSynchronization>> joined;

	private LockedContext(Context values, Check check,
			AtomicReference<@Nullable Set<TransactionSynchronization>> joined) {
		this.values = values;
		this.check = check;
		this.joined = joined;
	}

	/**
	 * Return a context for what runs under locks.
	 * @param values what is in it
	 * @param handle the locks
	 */
	static Context of(Context values, LockHandle handle) {
		TransactionContext outer = values.getOrDefault(TransactionContext.class, null);
		return new LockedContext(values, new Check(handle),
				new AtomicReference<>((outer != null) ? outer.getSynchronizations() : null));
	}

	@Override
	@SuppressWarnings("TypeParameterUnusedInFormals") // of Reactor
	public <T> T get(Object key) {
		return join(this.values.get(key));
	}

	@Override
	@SuppressWarnings("NullAway") // of Reactor, which takes null for the default
	public <T> @Nullable T getOrDefault(Object key, @Nullable T defaultValue) {
		return join(this.values.getOrDefault(key, defaultValue));
	}

	private <T> T join(T value) {
		if (value instanceof TransactionContext transaction && transaction.isActualTransactionActive()) {
			Set<TransactionSynchronization> current = transaction.getSynchronizations();
			Set<TransactionSynchronization> before = this.joined.get();
			// by one, where a chain has several threads
			if (current != null && current != before && this.joined.compareAndSet(before, current)) {
				current.add(this.check);
			}
		}
		return value;
	}

	@Override
	public boolean hasKey(Object key) {
		return this.values.hasKey(key);
	}

	@Override
	public int size() {
		return this.values.size();
	}

	@Override
	public Stream<Map.Entry<Object, Object>> stream() {
		return this.values.stream();
	}

	@Override
	public Context put(Object key, Object value) {
		// two transactions of a chain may run at the same time
		return new LockedContext(this.values.put(key, value), this.check,
				(key == TransactionContext.class) ? new AtomicReference<>(this.joined.get()) : this.joined);
	}

	@Override
	public Context delete(Object key) {
		return with(this.values.delete(key));
	}

	@Override
	public Context putAll(ContextView others) {
		return with(this.values.putAll(others));
	}

	@Override
	public Context putAllMap(Map<?, ?> others) {
		return with(this.values.putAllMap(others));
	}

	private Context with(Context changed) {
		return new LockedContext(changed, this.check, this.joined);
	}

	@Override
	public String toString() {
		return this.values.toString();
	}

	/**
	 * Locks that were given back do not matter any more: those of a method that has ended
	 * inside of its caller's transaction.
	 */
	private record Check(LockHandle handle) implements TransactionSynchronization, Ordered {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return Mono.fromRunnable(() -> {
				if (!this.handle.isClosed()) {
					this.handle.ensureHeld();
				}
			});
		}

	}

}
