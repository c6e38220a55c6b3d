package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps leases alive and watches their local deadlines: one thread for all of them. It
 * sleeps until the next lease needs it, and renews what is due together in one batch per
 * provider. A lock that is taken and given back before its first renewal costs it one
 * insertion and one removal, and does not wake it.
 */
final class LeaseKeeper implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(LeaseKeeper.class);

	/**
	 * The longest sleep while locks come and go: a new lease whose first event is further
	 * away need not wake the thread.
	 */
	private static final long NAP_NANOS = 1_000_000_000;

	/**
	 * After so many naps without a lease the thread sleeps until it is woken.
	 */
	private static final int IDLE_NAPS = 10;

	private final Set<HeldLock> tracked = ConcurrentHashMap.newKeySet();

	private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

	private volatile long wakeAtNanos;

	private volatile boolean asleepUntilWoken;

	private volatile boolean closed;

	/**
	 * Watch a lease from now on.
	 * @return {@code false} if the keeper is closed
	 */
	boolean track(HeldLock lock) {
		this.tracked.add(lock);
		if (this.closed) {
			return !this.tracked.remove(lock);
		}
		lock.lease().onLost((reason) -> lose(lock, reason));
		Thread keeper = this.thread.get();
		if (keeper == null) {
			start();
		}
		else if (this.asleepUntilWoken || lock.clock().nextEventNanos() - this.wakeAtNanos < 0) {
			LockSupport.unpark(keeper);
		}
		return true;
	}

	void forget(HeldLock lock) {
		this.tracked.remove(lock);
	}

	/**
	 * Note that what a tracked lease needs next may come earlier now.
	 */
	void lookAgain() {
		LockSupport.unpark(this.thread.get());
	}

	int size() {
		return this.tracked.size();
	}

	/**
	 * Stop renewing. What is still held is lost: nobody watches over it any more.
	 * @return the locks that were still held
	 */
	List<HeldLock> stop() {
		this.closed = true;
		LockSupport.unpark(this.thread.get());
		List<HeldLock> held = List.copyOf(this.tracked);
		held.forEach((lock) -> lose(lock, "the lock template was closed"));
		return held;
	}

	@Override
	public void close() {
		stop();
	}

	private void start() {
		Thread keeper = new Thread(this::run, "lock-keeper");
		keeper.setDaemon(true);
		if (this.thread.compareAndSet(null, keeper)) {
			keeper.start();
		}
		else {
			LockSupport.unpark(this.thread.get());
		}
	}

	private void run() {
		int idleNaps = 0;
		while (!this.closed) {
			// until the scan is over every new lease wakes the thread: it may have missed
			// it
			this.asleepUntilWoken = true;
			long now = System.nanoTime();
			long wakeAt = scanSafely(now);
			idleNaps = this.tracked.isEmpty() ? idleNaps + 1 : 0;
			if (idleNaps > IDLE_NAPS) {
				LockSupport.park(this);
			}
			else {
				this.wakeAtNanos = wakeAt;
				this.asleepUntilWoken = false;
				LockSupport.parkNanos(this, wakeAt - now);
			}
		}
	}

	/**
	 * Whatever goes wrong with one lease, the thread lives on for the others.
	 */
	private long scanSafely(long now) {
		try {
			return scan(now);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Looking after leases failed; it goes on in a moment", ex);
			return now + NAP_NANOS / 10;
		}
	}

	private long scan(long now) {
		long wakeAt = now + NAP_NANOS;
		Map<LockProvider, List<Renewal>> due = new HashMap<>();
		for (HeldLock lock : this.tracked) {
			LeaseClock clock = lock.clock();
			if (clock.deadlineNanos() - now <= 0) {
				lose(lock, "its lease of %s ended before it was given back".formatted(LockTimes.text(clock.granted())));
				continue;
			}
			if (clock.isRenewalDue(now)) {
				Renewal renewal = new Renewal(lock, new CompletableFuture<>());
				clock.renewalSent(now);
				if (lock.startRenewal(renewal.answered)) {
					due.computeIfAbsent(lock.provider(), (ignored) -> new ArrayList<>()).add(renewal);
				}
			}
			lock.warnOfExpiry(now);
			if (clock.nextEventNanos() - wakeAt < 0) {
				wakeAt = clock.nextEventNanos();
			}
		}
		due.forEach((provider, renewals) -> renew(provider, renewals, now));
		return wakeAt;
	}

	private void renew(LockProvider provider, List<Renewal> renewals, long now) {
		try {
			List<? extends CompletionStage<@Nullable LeaseTerm>> answers = provider
				.renewAll(renewals.stream().map((each) -> each.request(now)).toList());
			for (int i = 0; i < renewals.size(); i++) {
				Renewal renewal = renewals.get(i);
				answers.get(i).whenComplete((term, failure) -> onAnswer(renewal, term, failure));
			}
		}
		catch (RuntimeException ex) {
			renewals.forEach((renewal) -> onAnswer(renewal, null, ex));
		}
	}

	private void onAnswer(Renewal renewal, @Nullable LeaseTerm term, @Nullable Throwable failure) {
		HeldLock lock = renewal.lock;
		if (term != null) {
			lock.clock().renewed(term);
		}
		else if (failure == null) {
			lose(lock, "the backend says that this owner no longer has it");
		}
		else if (lock.isValid()) {
			logger.warn("Lock '{}' of provider {} could not be renewed and is tried again; it is lost in {} ms: {}",
					lock.key(), lock.provider().name(), lock.remainingNanos() / 1_000_000, failure.toString());
			lock.clock().renewalFailed(System.nanoTime());
			lookAgain();
		}
		renewal.answered.complete(null);
	}

	void lose(HeldLock lock, String reason) {
		forget(lock);
		lock.lose(reason);
	}

	/**
	 * A renewal that is sent.
	 */
	private record Renewal(HeldLock lock, CompletableFuture<@Nullable Void> answered) {

		LeaseRenewal request(long now) {
			return new LeaseRenewal(this.lock.lease(), this.lock.clock().renewalTime(now));
		}

	}

}
