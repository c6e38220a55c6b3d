package io.distributedlock.etcd;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.DelayedTasks;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import org.jspecify.annotations.Nullable;

/**
 * One owner's place among the keys of a lock. Taking it costs two round trips, and if
 * others are in front another one and a watch on the last of those that matter.
 */
final class EtcdPlace implements LockQueue.Place {

	/**
	 * How long a watch that etcd has ended is not begun anew. A release that it misses is
	 * seen then.
	 */
	private static final Duration WATCH_PAUSE = Duration.ofMillis(500);

	private final EtcdCalls calls;

	private final LeaseRequest request;

	private final boolean mayWait;

	private final String lockPrefix;

	private final ByteSequence contested;

	private final CompletableFuture<@Nullable Lease> outcome = new CompletableFuture<>();

	private final AtomicReference<Watch.@Nullable Watcher> watcher = new AtomicReference<>();

	/**
	 * Looks that were asked for and not yet answered: those that come while one is under
	 * way are answered by one more.
	 */
	private final AtomicInteger looks = new AtomicInteger();

	private volatile long leaseId;

	private volatile @Nullable ByteSequence ownKey;

	private volatile long revision;

	private volatile @Nullable ByteSequence predecessor;

	/**
	 * Whether others were seen in front.
	 */
	private volatile boolean queued;

	private volatile boolean behindOthers;

	private volatile long keptAliveAt;

	EtcdPlace(EtcdCalls calls, String prefix, LeaseRequest request, boolean mayWait) {
		this.calls = calls;
		this.request = request;
		this.mayWait = mayWait;
		// the permits of a semaphore have nothing to do with a lock of the same key
		this.lockPrefix = prefix + request.key() + ((request.type() == LockType.SEMAPHORE) ? "~permits/" : "/");
		this.contested = EtcdCalls.bytes(isReader() ? this.lockPrefix + "w/" : this.lockPrefix);
	}

	void take() {
		long sentAt = System.nanoTime();
		this.keptAliveAt = sentAt;
		this.calls.grant(seconds(this.request.leaseTime())).whenComplete((lease, failure) -> {
			if (failure != null) {
				fail(failure);
				return;
			}
			this.leaseId = lease.getID();
			if (this.outcome.isDone()) {
				removeKey();
			}
			else if (this.request.remainingNanos() <= 0) {
				giveUp(new BackendException("etcd did not answer in time", true, null));
			}
			else {
				putKey(new LeaseTerm(sentAt, granted(lease.getTTL())));
			}
		});
	}

	/**
	 * Return how the attempt ends if it is one that does not wait.
	 */
	CompletionStage<@Nullable Lease> attempt() {
		return this.outcome;
	}

	@Override
	@SuppressWarnings("NullAway") // a place that waits is never answered by nothing
	public CompletionStage<Lease> granted() {
		return this.outcome.thenApply((lease) -> lease);
	}

	@Override
	public void lookAgain() {
		if (this.revision == 0 || this.outcome.isDone()) {
			return;
		}
		long now = System.nanoTime();
		if (now - this.keptAliveAt > this.request.leaseTime().toNanos() / 3) {
			this.keptAliveAt = now;
			// an answer that fails shows in the look
			this.calls.keepAlive(this.leaseId);
		}
		look();
	}

	@Override
	public boolean isBehindOthers() {
		return this.behindOthers;
	}

	@Override
	public void leave() {
		if (this.outcome.completeExceptionally(new CancellationException("the place was left"))) {
			stopWatching();
			if (this.leaseId != 0) {
				removeKey();
			}
		}
	}

	private void putKey(LeaseTerm term) {
		ByteSequence key = EtcdCalls
			.bytes(this.lockPrefix + (isReader() ? "r/" : "w/") + Long.toHexString(this.leaseId));
		this.ownKey = key;
		GetOption first = GetOption.builder()
			.isPrefix(true)
			.withSortField(GetOption.SortTarget.CREATE)
			.withSortOrder(GetOption.SortOrder.ASCEND)
			// for a reader the first may be one who only reads by now
			.withLimit(isReader() ? 2 : this.request.permits())
			.withKeysOnly(!isReader())
			.build();
		Op put = Op.put(key, ByteSequence.EMPTY, PutOption.builder().withLeaseId(this.leaseId).build());
		this.calls.ifCreatedAt(key, 0, put, Op.get(this.contested, first)).whenComplete((response, failure) -> {
			if (failure != null) {
				giveUp(failure);
				return;
			}
			if (!response.isSucceeded()) {
				// a client that sent it again after a lost answer: it does not say when
				// the
				// key was created
				giveUp(new BackendException("the answer of etcd to the creation of a key was lost", true, null));
				return;
			}
			long created = response.getHeader().getRevision();
			this.revision = created;
			List<KeyValue> found = response.getGetResponses().get(0).getKvs();
			if (found.stream()
				.filter((each) -> each.getCreateRevision() < created && standsInTheWay(each))
				.count() < this.request.permits()) {
				grant(key, term);
			}
			else if (this.mayWait) {
				look();
			}
			else if (this.outcome.complete(null)) {
				removeKey();
			}
		});
	}

	private void look() {
		if (this.looks.getAndIncrement() == 0) {
			lookOnce();
		}
	}

	private void lookOnce() {
		ByteSequence key = this.ownKey;
		if (key == null || this.outcome.isDone()) {
			return;
		}
		int answered = this.looks.get();
		GetOption lastBefore = GetOption.builder()
			.isPrefix(true)
			.withMaxCreateRevision(this.revision - 1)
			.withSortField(GetOption.SortTarget.CREATE)
			.withSortOrder(GetOption.SortOrder.DESCEND)
			.withLimit(this.request.permits())
			.withKeysOnly(!isReader())
			.build();
		this.calls.ifCreatedAt(key, this.revision, Op.get(this.contested, lastBefore))
			.whenComplete((response, failure) -> {
				if (failure != null) {
					onLookFailed(EtcdErrors.translate(failure));
				}
				else {
					onLooked(key, response);
				}
				if (this.looks.addAndGet(-answered) > 0) {
					lookOnce();
				}
			});
	}

	private void onLooked(ByteSequence key, TxnResponse response) {
		if (!response.isSucceeded()) {
			fail(new BackendException("the place in the queue has expired", true, null));
			return;
		}
		List<KeyValue> found = response.getGetResponses().get(0).getKvs();
		if (found.stream().filter(this::standsInTheWay).count() < this.request.permits()) {
			renewAndGrant(key);
			return;
		}
		this.queued = true;
		this.behindOthers = true;
		ByteSequence before = found.get(0).getKey();
		if (!before.equals(this.predecessor) || this.watcher.get() == null) {
			this.predecessor = before;
			watch(before, response.getHeader().getRevision() + 1);
		}
	}

	/**
	 * A place that etcd has confirmed is there as long as its lease: the next look may
	 * find it.
	 */
	private void onLookFailed(BackendException failure) {
		this.behindOthers = false;
		if (!failure.isRetryable() || !this.queued) {
			giveUp(failure);
		}
	}

	/**
	 * The lease has run since the place was taken: it starts anew for the holder.
	 */
	private void renewAndGrant(ByteSequence key) {
		long sentAt = System.nanoTime();
		this.calls.keepAlive(this.leaseId).whenComplete((length, failure) -> {
			if (failure != null) {
				onLookFailed(EtcdErrors.translate(failure));
			}
			else if (length == 0) {
				fail(new BackendException("the place in the queue has expired", true, null));
			}
			else {
				grant(key, new LeaseTerm(sentAt, granted(length)));
			}
		});
	}

	private void grant(ByteSequence key, LeaseTerm term) {
		// permits are held together: a number of their order would guard nothing
		OptionalLong token = (this.request.type() == LockType.SEMAPHORE) ? OptionalLong.empty()
				: OptionalLong.of(this.revision);
		this.outcome
			.complete(new EtcdLease(this.calls, this.request.key(), key, this.leaseId, this.revision, token, term));
		stopWatching();
	}

	/**
	 * Remove the key, unless the place was granted meanwhile: then it is its holder's, or
	 * left: then it is removed already.
	 */
	private void giveUp(Throwable failure) {
		if (fail(failure)) {
			removeKey();
		}
	}

	private boolean fail(Throwable failure) {
		boolean ended = this.outcome.completeExceptionally(EtcdErrors.translate(failure));
		stopWatching();
		return ended;
	}

	private void watch(ByteSequence key, long fromRevision) {
		Watch.Watcher opened = this.calls.watch(key, fromRevision, isReader(), this::lookAnew, this::lookAnewLater);
		Watch.Watcher before = this.watcher.getAndSet(opened);
		if (before != null) {
			before.close();
		}
		if (this.outcome.isDone()) {
			stopWatching();
		}
	}

	private void lookAnew() {
		this.predecessor = null;
		look();
	}

	/**
	 * What is refused at once may be refused again, and again.
	 */
	private void lookAnewLater() {
		DelayedTasks.after(WATCH_PAUSE).execute(this::lookAnew);
	}

	private void stopWatching() {
		Watch.Watcher current = this.watcher.getAndSet(null);
		if (current != null) {
			current.close();
		}
	}

	private void removeKey() {
		this.calls.abandon(this.request.key(), this.leaseId, this.request.leaseTime());
	}

	/**
	 * Whether a reader waits for another one. A writer who only reads by now has been
	 * granted, so nobody is in front of it, and who is behind it comes later.
	 */
	private boolean standsInTheWay(KeyValue other) {
		return !isReader() || !EtcdLease.READS.equals(other.getValue());
	}

	private boolean isReader() {
		return this.request.type() == LockType.READ;
	}

	private Duration granted(long ttlSeconds) {
		Duration length = Duration.ofSeconds(ttlSeconds);
		return (length.compareTo(this.request.leaseTime()) < 0) ? length : this.request.leaseTime();
	}

	private static long seconds(Duration leaseTime) {
		return leaseTime.plusMillis(999).toSeconds();
	}

}
