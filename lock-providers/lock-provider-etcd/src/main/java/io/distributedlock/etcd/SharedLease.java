package io.distributedlock.etcd;

import java.time.Duration;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.Mutex;
import io.etcd.jetcd.ByteSequence;
import org.jspecify.annotations.Nullable;

/**
 * An etcd lease under which this JVM puts the keys of many owners. Whoever uses one of
 * those keys renews it; nothing else does, so it ends with the JVM that made it. Each key
 * has an end of its own, which {@link OwnKey} watches. Thread-safe.
 * <p>
 * A request that a server has kept for a long time may create a key that nobody expects
 * any more. As long as this lease is renewed, the keys that belong to no owner of this
 * JVM are looked for and deleted three times per length.
 * <p>
 * Why: docs/decisions/038-one-etcd-lease-for-many-locks.md
 */
final class SharedLease {

	private final Mutex mutex = new Mutex();

	/**
	 * A renewal that was sent less than this time ago is as good as a new one: so many
	 * owners share one.
	 */
	private static final Duration FRESH = Duration.ofMillis(100);

	/**
	 * Of a short lease, less: a fiftieth.
	 */
	private static final int FRESH_FRACTION = 50;

	private final EtcdCalls calls;

	private final long id;

	private final Duration length;

	private final Map<ByteSequence, OwnKey> keys = new ConcurrentHashMap<>();

	/**
	 * The numbers of former owners, guarded by the mutex as the last one is. A number is
	 * part of the name of a key, and is used again: until etcd compacts its history, it
	 * reads past the name of every key that was ever deleted, so each new name would make
	 * all later locks of that key slower.
	 */
	private final Queue<Long> unusedNumbers = new PriorityQueue<>();

	private long lastNumber;

	private final AtomicLong searchedAt;

	/**
	 * When the last request was sent of which it is known that it has renewed this lease.
	 */
	private final AtomicLong renewedAt;

	private volatile @Nullable Renewal renewal;

	private volatile @Nullable String loss;

	/**
	 * Create an object for a lease that etcd has granted.
	 * @param length the length that etcd has granted
	 * @param sentAt the {@link System#nanoTime()} from before the request was sent
	 */
	SharedLease(EtcdCalls calls, long id, Duration length, long sentAt) {
		this.calls = calls;
		this.id = id;
		this.length = length;
		this.renewedAt = new AtomicLong(sentAt);
		this.searchedAt = new AtomicLong(sentAt);
	}

	long id() {
		return this.id;
	}

	Duration length() {
		return this.length;
	}

	/**
	 * Return whether etcd has this lease for certain.
	 */
	boolean isAlive() {
		return this.loss == null && age() < this.length.toNanos();
	}

	/**
	 * Return the lowest number that no owner has.
	 */
	long takeNumber() {
		return this.mutex.get(() -> {
			Long lowest = this.unusedNumbers.poll();
			return (lowest != null) ? lowest : ++this.lastNumber;
		});
	}

	/**
	 * Let another owner have a number. To be called once for each {@link #takeNumber()}
	 * at most, and only if nothing that was sent for the owner can still change a key by
	 * its name alone.
	 */
	void freeNumber(long number) {
		this.mutex.run(() -> this.unusedNumbers.add(number));
	}

	/**
	 * Return what the key of an owner ends with.
	 */
	String nameOf(long owner) {
		return Long.toHexString(this.id) + "-" + Long.toHexString(owner);
	}

	/**
	 * Note a key. Only keys that are noted stay.
	 */
	void add(OwnKey key) {
		this.keys.put(key.name(), key);
		String reason = this.loss;
		if (reason != null) {
			lose(reason);
		}
	}

	void remove(OwnKey key) {
		this.keys.remove(key.name(), key);
	}

	/**
	 * Return the term of an owner who has its key now. It ends no later than this lease.
	 * @param sentAt when the request was sent, after which the term shall begin
	 * @param leaseTime the length that the owner asked for
	 */
	LeaseTerm term(long sentAt, Duration leaseTime) {
		long renewed = this.renewedAt.get();
		if (leaseTime.compareTo(this.length) >= 0) {
			return new LeaseTerm(renewed, this.length);
		}
		long latest = renewed + this.length.toNanos() - leaseTime.toNanos();
		return new LeaseTerm((sentAt - latest < 0) ? sentAt : latest, leaseTime);
	}

	/**
	 * Renew this lease, unless that was done just now.
	 * @return completes with this lease when it is renewed; fails if etcd did not answer
	 * or no longer has it
	 */
	CompletableFuture<SharedLease> renew() {
		return renew(fresh());
	}

	/**
	 * Renew this lease for an owner who takes a place now. If the last renewal is halfway
	 * old, the owner need not wait for a new one, but a grant that comes soon finds it.
	 * @return completes when the last renewal is new enough; fails as {@link #renew()}
	 */
	CompletableFuture<SharedLease> renewAhead() {
		boolean enough = this.loss == null && age() <= fresh();
		CompletableFuture<SharedLease> renewed = renew(fresh() / 2);
		return enough ? CompletableFuture.completedFuture(this) : renewed;
	}

	private long fresh() {
		return Math.min(FRESH.toNanos(), this.length.toNanos() / FRESH_FRACTION);
	}

	/**
	 * Renew this lease if a third of its length has passed.
	 */
	void renewInTime() {
		// a failure needs no handling: the next question finds out what is left
		renew(this.length.toNanos() / 3);
	}

	private CompletableFuture<SharedLease> renew(long maxAge) {
		String reason = this.loss;
		if (reason != null) {
			return CompletableFuture.failedFuture(new BackendException(reason, true, null));
		}
		if (age() <= maxAge) {
			return CompletableFuture.completedFuture(this);
		}
		return this.mutex.get(() -> {
			Renewal running = this.renewal;
			if (running == null || running.answer.isDone() || System.nanoTime() - running.sentAt > maxAge) {
				running = new Renewal(System.nanoTime(), new CompletableFuture<>());
				this.renewal = running;
				send(running);
			}
			return running.answer;
		});
	}

	private void send(Renewal sent) {
		ByteSequence readable = this.keys.keySet().stream().findAny().orElse(null);
		if (readable == null) {
			// nobody needs a renewal any more
			sent.answer.complete(this);
			return;
		}
		this.calls.keepAlive(this.id, readable).whenComplete((seconds, failure) -> {
			if (failure != null) {
				sent.answer.completeExceptionally(failure);
			}
			else if (seconds == 0) {
				lose("etcd has ended the lease that keeps it");
				sent.answer.completeExceptionally(new BackendException("the etcd lease has ended", true, null));
			}
			else {
				this.renewedAt.accumulateAndGet(sent.sentAt, (one, two) -> (one - two < 0) ? two : one);
				deleteForgottenKeys();
				sent.answer.complete(this);
			}
		});
	}

	/**
	 * Note that etcd no longer has this lease, nor the keys under it.
	 */
	void lose(String reason) {
		this.loss = reason;
		this.keys.values().forEach((key) -> key.lose(reason));
	}

	private void deleteForgottenKeys() {
		long last = this.searchedAt.get();
		long now = System.nanoTime();
		if (now - last < this.length.toNanos() / 3 || !this.searchedAt.compareAndSet(last, now)) {
			return;
		}
		this.calls.keysOf(this.id)
			// a later owner may use such a name again, for a key that is created later
			.thenAccept((found) -> found.getKeys()
				.stream()
				.filter((name) -> !this.keys.containsKey(name))
				.forEach((name) -> this.calls.deleteIfCreatedUpTo(name, found.getHeader().getRevision())))
			// tried again with a later renewal
			.exceptionally((failure) -> null);
	}

	private long age() {
		return System.nanoTime() - this.renewedAt.get();
	}

	/**
	 * A renewal that is under way or over.
	 *
	 * @param sentAt the {@link System#nanoTime()} from before it was sent
	 * @param answer completes with the answer
	 */
	private record Renewal(long sentAt, CompletableFuture<SharedLease> answer) {
	}

}
