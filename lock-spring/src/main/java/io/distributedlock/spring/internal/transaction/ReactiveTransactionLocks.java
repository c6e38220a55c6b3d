package io.distributedlock.spring.internal.transaction;

import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.transaction.reactive.TransactionContextManager;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * The locks of one transaction of a reactive chain, as {@link TransactionLocks} are those
 * of a transaction of a thread.
 */
public final class ReactiveTransactionLocks implements TransactionSynchronization, CallLocks.Keeper {

	private static final Object KEY = ReactiveTransactionLocks.class;

	/**
	 * The locks of the innermost suspended transaction.
	 */
	private static final Object SUSPENDED = ReactiveTransactionLocks.class.getName() + ".suspended";

	/**
	 * Keeps calls of one transaction apart that get their locks at the same time, on
	 * several threads. Event loops get here, so no call waits for another transaction.
	 */
	private static final ConcurrentMap<TransactionContext, ReactiveTransactionLocks> CREATED = new ConcurrentHashMap<>();

	private final TransactionSynchronizationManager transaction;

	private final ConcurrentLinkedDeque<LockHandle> kept = new ConcurrentLinkedDeque<>();

	/**
	 * The locks that the commit depends on.
	 */
	private final Queue<LockHandle> checked = new ConcurrentLinkedQueue<>();

	/**
	 * While the transaction is suspended, the locks of those that were suspended before.
	 */
	private volatile @Nullable ReactiveTransactionLocks outer;

	private volatile boolean last;

	private volatile boolean ended;

	private ReactiveTransactionLocks(TransactionSynchronizationManager transaction) {
		this.transaction = transaction;
	}

	/**
	 * Keep locks until the transaction of the chain has been committed or rolled back. If
	 * there is none, the call releases its locks.
	 * @param locks the locks of a call
	 * @return delivers the locks
	 */
	public static Mono<CallLocks> keep(CallLocks locks) {
		if (!locks.afterTransaction()) {
			return Mono.just(locks);
		}
		return active().doOnNext((transaction) -> {
			ReactiveTransactionLocks keeper = of(transaction);
			locks.keepFor(keeper);
			if (locks.verifyBeforeCommit()) {
				keeper.checked.add(locks.handle());
			}
		}).thenReturn(locks);
	}

	/**
	 * Return the given locks and those that the transactions of a chain keep, also the
	 * suspended ones: what they hold would never become free for the chain.
	 * @param locks the locks
	 * @param chain the context of the chain
	 * @return all of them
	 */
	public static LockContext addKept(LockContext locks, ContextView chain) {
		TransactionContext transaction = chain.getOrDefault(TransactionContext.class, null);
		if (transaction == null) {
			return locks;
		}
		Map<Object, Object> resources = transaction.getResources();
		return addKept(addKept(locks, resources.get(SUSPENDED)), resources.get(KEY));
	}

	private static LockContext addKept(LockContext locks, @Nullable Object resource) {
		if (!(resource instanceof ReactiveTransactionLocks keeper)) {
			return locks;
		}
		LockContext all = addKept(locks, keeper.outer);
		for (Iterator<LockHandle> kept = keeper.kept.descendingIterator(); kept.hasNext();) {
			all = all.with(kept.next());
		}
		return all;
	}

	/**
	 * Called when the method itself begins: a transaction that it starts is rolled back
	 * if its locks were lost before the commit.
	 * @param locks the locks of the call
	 * @return completes when the check is in place
	 */
	public static Mono<Void> checkOwn(CallLocks locks) {
		return active().doOnNext((transaction) -> {
			locks.methodRunsIn((ReactiveTransactionLocks) transaction.getResources().get(KEY));
			if (!locks.isKept() && locks.verifyBeforeCommit()) {
				of(transaction).checked.add(locks.handle());
			}
		}).switchIfEmpty(Mono.fromRunnable(() -> locks.methodRunsIn(null))).then();
	}

	private static Mono<TransactionContext> active() {
		return TransactionContextManager.currentContext()
			.filter((transaction) -> transaction.getSynchronizations() != null
					&& transaction.isActualTransactionActive())
			.onErrorResume(NoTransactionException.class, (none) -> Mono.empty());
	}

	private static ReactiveTransactionLocks of(TransactionContext transaction) {
		ReactiveTransactionLocks locks = CREATED.computeIfAbsent(transaction, ReactiveTransactionLocks::boundTo);
		// from now on they are found in the transaction
		CREATED.remove(transaction);
		return locks;
	}

	private static ReactiveTransactionLocks boundTo(TransactionContext context) {
		TransactionSynchronizationManager transaction = new TransactionSynchronizationManager(context);
		ReactiveTransactionLocks known = (ReactiveTransactionLocks) transaction.getResource(KEY);
		if (known != null) {
			return known;
		}
		ReactiveTransactionLocks locks = new ReactiveTransactionLocks(transaction);
		transaction.registerSynchronization(locks);
		transaction.bindResource(KEY, locks);
		return locks;
	}

	@Override
	public boolean keep(LockHandle handle) {
		this.kept.push(handle);
		return !this.ended || !this.kept.remove(handle);
	}

	@Override
	public void forget(LockHandle handle) {
		this.kept.removeFirstOccurrence(handle);
		this.checked.remove(handle);
	}

	@Override
	public Mono<Void> suspend() {
		return Mono.fromRunnable(() -> {
			this.transaction.unbindResourceIfPossible(KEY);
			this.outer = (ReactiveTransactionLocks) this.transaction.unbindResourceIfPossible(SUSPENDED);
			this.transaction.bindResource(SUSPENDED, this);
		});
	}

	@Override
	public Mono<Void> resume() {
		return Mono.fromRunnable(() -> {
			this.transaction.unbindResourceIfPossible(SUSPENDED);
			ReactiveTransactionLocks before = this.outer;
			if (before != null) {
				this.outer = null;
				this.transaction.bindResource(SUSPENDED, before);
			}
			this.transaction.bindResource(KEY, this);
		});
	}

	@Override
	public Mono<Void> beforeCommit(boolean readOnly) {
		return Mono.fromRunnable(() -> this.checked.forEach(EnclosingLocks::ensureHeld));
	}

	@Override
	public Mono<Void> beforeCompletion() {
		return Mono.fromRunnable(() -> {
			if (!this.last) {
				this.last = true;
				this.transaction.registerSynchronization(new Last(this));
			}
		});
	}

	@Override
	public Mono<Void> afterCompletion(int status) {
		return this.last ? Mono.empty() : release();
	}

	private Mono<Void> release() {
		return Mono.defer(() -> {
			this.ended = true;
			this.transaction.unbindResourceIfPossible(KEY);
			return Flux.fromStream(Stream.iterate(this.kept.poll(), Objects::nonNull, (before) -> this.kept.poll()))
				.concatMapDelayError((next) -> Mono.fromFuture(next.closeAsync()))
				.then();
		});
	}

	/**
	 * Releases the locks after all other synchronizations, as in
	 * {@link TransactionLocks}.
	 */
	private record Last(ReactiveTransactionLocks locks) implements TransactionSynchronization {

		@Override
		public Mono<Void> afterCompletion(int status) {
			return this.locks.release();
		}

	}

}
