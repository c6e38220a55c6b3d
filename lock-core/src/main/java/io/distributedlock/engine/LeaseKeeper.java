package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps leases alive and watches their local deadlines. Each lease has one timer, for
 * what it needs next; those that are due together are renewed in one batch per provider.
 * A lock that is taken and given back before its first renewal costs an insertion and a
 * removal.
 */
final class LeaseKeeper {

	private static final Logger logger = LoggerFactory.getLogger(LeaseKeeper.class);

	private final Set<HeldLock> tracked = ConcurrentHashMap.newKeySet();

	/**
	 * What is to be renewed together. Only touched by the timer thread.
	 */
	private final List<Renewal> due = new ArrayList<>();

	private final EngineRuntime runtime;

	private final Timers timers;

	private final Questions questions;

	private volatile boolean closed;

	LeaseKeeper(EngineRuntime runtime, Timers timers, Questions questions) {
		this.runtime = runtime;
		this.timers = timers;
		this.questions = questions;
	}

	/**
	 * Watch a lease from now on.
	 * @return {@code false} if the keeper is closed
	 */
	boolean track(HeldLock lock) {
		this.tracked.add(lock);
		if (this.closed) {
			return !this.tracked.remove(lock);
		}
		Guard.run("asking a lease to tell of its loss", () -> lock.lease().onLost((reason) -> lose(lock, reason)));
		lookAgain(lock);
		return true;
	}

	void forget(HeldLock lock) {
		this.tracked.remove(lock);
		lock.cancelTimer();
	}

	/**
	 * Note that a lock needs something at another time than before.
	 */
	void lookAgain(HeldLock lock) {
		long at = lock.clock().nextEventNanos();
		lock.setTimer(this.timers.at(at, () -> attend(lock)));
		// another thread may have brought it forward, and set its timer before this one
		while (lock.isHeld() && lock.clock().nextEventNanos() - at < 0) {
			at = lock.clock().nextEventNanos();
			lock.setTimer(this.timers.at(at, () -> attend(lock)));
		}
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
		List<HeldLock> held = this.tracked.stream()
			.sorted(Comparator.comparingLong((lock) -> lock.clock().startNanos()))
			.toList();
		held.forEach((lock) -> lose(lock, "the lock template was closed"));
		return held;
	}

	void lose(HeldLock lock, String reason) {
		lock.lose(reason);
		forget(lock);
	}

	/**
	 * Do what a lock needs now, on the timer thread.
	 */
	private void attend(HeldLock lock) {
		LeaseClock clock = lock.clock();
		long now = this.runtime.nanoTime();
		if (!lock.isHeld()) {
			return;
		}
		if (clock.deadlineNanos() - now <= 0) {
			lose(lock, "its lease of %s ended before it was given back".formatted(LockTimes.text(clock.granted())));
			return;
		}
		if (clock.isRenewalDue(now)) {
			String abandonment = lock.abandonment();
			if (abandonment != null) {
				letGo(lock, abandonment);
				return;
			}
			Downgrade downgrade = lock.downgrade();
			if (downgrade != null) {
				downgrade.beginIfMissed();
			}
			renewWithOthers(lock, clock.renewalSent(now));
		}
		lock.warnOfExpiry(now);
		lookAgain(lock);
	}

	private void letGo(HeldLock lock, String reason) {
		lose(lock, reason);
		this.runtime.execute(() -> lock.engine().releaser().discard(lock));
	}

	private void renewWithOthers(HeldLock lock, OpenRequests.Request request) {
		Renewal renewal = new Renewal(lock, lock.lease(), request, this.questions.expect());
		// an extension that waits for it is sent when its answer has been taken in
		CompletableFuture<?> done = renewal.answer.handle((term, failure) -> {
			Guard.run("an answer to a renewal", () -> onAnswer(renewal, term, failure));
			return lock;
		});
		if (!lock.startRenewal(done)) {
			renewal.cancel();
			return;
		}
		if (this.due.isEmpty()) {
			this.timers.afterPass(this::sendDue);
		}
		this.due.add(renewal);
	}

	private void sendDue() {
		Map<LockProvider, List<Renewal>> byProvider = new LinkedHashMap<>();
		this.due
			.forEach((renewal) -> byProvider.computeIfAbsent(renewal.lock.provider(), (ignored) -> new ArrayList<>())
				.add(renewal));
		this.due.clear();
		byProvider.forEach((provider, renewals) -> this.runtime.execute(() -> send(provider, renewals)));
	}

	/**
	 * Renew several leases in one call. If the call as such fails each is renewed by
	 * itself: one that the provider fails on must not cost the others.
	 */
	private void send(LockProvider provider, List<Renewal> renewals) {
		renewals.stream().filter((renewal) -> !renewal.isWanted()).forEach(Renewal::cancel);
		List<Renewal> held = renewals.stream().filter((renewal) -> !renewal.answer.isDone()).toList();
		if (held.isEmpty()) {
			return;
		}
		long now = this.runtime.nanoTime();
		List<? extends CompletionStage<@Nullable LeaseTerm>> answers = List.of();
		try {
			answers = provider.renewAll(held.stream().map((each) -> each.toSend(now)).toList());
		}
		catch (Throwable ex) {
			logger.warn("Provider {} failed to renew {} leases together; they are renewed one by one", provider.name(),
					held.size(), ex);
		}
		boolean complete = answers != null && answers.size() == held.size();
		for (int i = 0; i < held.size(); i++) {
			Renewal renewal = held.get(i);
			CompletionStage<@Nullable LeaseTerm> answer = complete ? answers.get(i) : null;
			if (answer == null && !renewal.isWanted()) {
				continue;
			}
			this.questions.follow(renewal.answer,
					() -> (answer != null) ? answer
							: renewal.lease.renew(renewal.lock.clock().renewalTime(this.runtime.nanoTime())),
					(late) -> onAnswer(renewal, late, null));
		}
	}

	private void onAnswer(Renewal renewal, @Nullable LeaseTerm term, @Nullable Throwable failure) {
		HeldLock lock = renewal.lock;
		if (!lock.isHeld() || failure instanceof CancellationException) {
			return;
		}
		if (term != null) {
			long now = this.runtime.nanoTime();
			lock.clock().renewed(term, now, renewal.request);
			lookAgain(lock);
		}
		else if (failure == null && renewal.isOfPresentLease()) {
			lose(lock, "the backend says that this owner no longer has it");
		}
		else if (failure != null && lock.isValid()) {
			lock.clock().renewalFailed(this.runtime.nanoTime());
			lookAgain(lock);
			logger.warn("Lock '{}' of provider {} could not be renewed and is tried again; it is lost in {} ms: {}",
					lock.key(), lock.provider().name(), lock.remainingNanos() / 1_000_000, failure.toString());
		}
	}

	/**
	 * A renewal that is sent, or is about to be.
	 */
	private record Renewal(HeldLock lock, Lease lease, OpenRequests.Request request,
			CompletableFuture<@Nullable LeaseTerm> answer) {

		/**
		 * Return whether the answer says how things stand: a writer that has become a
		 * reader is a writer no more.
		 */
		// a lease is told from another by identity
		@SuppressWarnings("ReferenceEquality")
		boolean isOfPresentLease() {
			return this.lease == this.lock.lease();
		}

		boolean isWanted() {
			return this.lock.isValid() && !this.answer.isDone();
		}

		/**
		 * Note that it is not sent.
		 */
		void cancel() {
			this.lock.clock().withdrawn(this.request);
			this.answer.cancel(false);
		}

		LeaseRenewal toSend(long now) {
			return new LeaseRenewal(this.lease, this.lock.clock().renewalTime(now));
		}

	}

}
