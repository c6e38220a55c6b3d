package io.distributedlock.spring.internal.transaction;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.transaction.reactive.TransactionSynchronization;

/**
 * The Reactor context of a chain that runs under locks. A transaction that begins in the
 * chain does not commit if they were lost, whichever code begins it. A listener on the
 * transaction manager would not learn which chain a transaction belongs to. But the
 * manager asks the context of the chain for Spring's transaction before it commits, and
 * at that point this context adds the check to the transaction.
 * <p>
 * Why: docs/decisions/020-commit-check.md
 *
 * @param values the values in it
 * @param check the check before the commit
 * @param checked the transaction that has the check already, or does not need it: at
 * first the one that the method was called in
 */
public record CommitCheckContext(Context values, TransactionSynchronization check,
		AtomicReference<@Nullable Set<TransactionSynchronization>> checked) implements Context {

	/**
	 * Return a context for code that runs under locks.
	 * @param values the values in it
	 * @param handle the locks
	 * @return the context
	 */
	public static Context of(Context values, LockHandle handle) {
		TransactionContext outer = values.getOrDefault(TransactionContext.class, null);
		return new CommitCheckContext(values, new Check(handle),
				new AtomicReference<>((outer != null) ? outer.getSynchronizations() : null));
	}

	@Override
	@SuppressWarnings("TypeParameterUnusedInFormals") // of Reactor
	public <T> T get(Object key) {
		T value = this.values.get(key);
		if (value instanceof TransactionContext transaction && transaction.isActualTransactionActive()) {
			Set<TransactionSynchronization> current = transaction.getSynchronizations();
			Set<TransactionSynchronization> before = this.checked.get();
			// a chain may have several threads: only one of them adds the check
			if (current != null && current != before && this.checked.compareAndSet(before, current)) {
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
		return new CommitCheckContext(this.values.put(key, value), this.check,
				(key == TransactionContext.class) ? new AtomicReference<>(this.checked.get()) : this.checked);
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
		return new CommitCheckContext(changed, this.check, this.checked);
	}

	@Override
	public String toString() {
		return this.values.toString();
	}

	/**
	 * The check before the commit.
	 */
	private record Check(LockHandle handle) implements TransactionSynchronization {

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return Mono.fromRunnable(() -> EnclosingLocks.ensureHeld(this.handle));
		}

	}

}
