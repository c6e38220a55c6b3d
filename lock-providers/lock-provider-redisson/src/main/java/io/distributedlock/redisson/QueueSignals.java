package io.distributedlock.redisson;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.DelayedTasks;
import org.jspecify.annotations.Nullable;

/**
 * The messages for places in the queues of fair locks. A release by this library names
 * the next owner on a channel of its JVM and key, so that hundreds of places need one
 * channel. Code that uses Redisson by hand publishes on a channel of the next owner
 * alone: a place listens there once somebody by hand is in front of it. Thread-safe.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 */
final class QueueSignals implements AutoCloseable {

	/**
	 * How long a channel is kept without a place. On a busy key the next place comes
	 * soon, and would need it again.
	 */
	private static final Duration KEPT = Duration.ofSeconds(2);

	/**
	 * A place that is not the oldest of its JVM asks after so many polls. If it is the
	 * first in the queue and the message for it was lost, it waits for that long.
	 */
	private static final int POLLS_PER_QUESTION = 10;

	/**
	 * A place asks so often before the server forgets it, so that some questions may be
	 * lost.
	 */
	private static final int QUESTIONS_PER_LIFE = 6;

	private final RedissonReleases releases;

	private final ConcurrentHashMap<String, Heard> channels = new ConcurrentHashMap<>();

	QueueSignals(RedissonReleases releases) {
		this.releases = releases;
	}

	/**
	 * Receive the messages for a place from now on, if the channel is open already.
	 * @return the messages, to be closed
	 */
	Place of(RedissonOwner owner) {
		return new Place(owner);
	}

	@Override
	public void close() {
		this.channels.values().forEach(Heard::end);
	}

	private void endUnused(String channel) {
		AtomicReference<@Nullable Heard> unused = new AtomicReference<>();
		this.channels.computeIfPresent(channel, (key, heard) -> {
			heard.ending.set(false);
			if (!heard.places.isEmpty()) {
				return heard;
			}
			unused.set(heard);
			return null;
		});
		Heard heard = unused.get();
		if (heard != null) {
			heard.end();
		}
	}

	/**
	 * The messages for one place, and when it is to ask without one.
	 */
	final class Place implements ReleaseSignal.Subscription {

		private final RedissonOwner owner;

		private final Heard heard;

		/**
		 * The number in the order of arrival in this JVM.
		 */
		private final long arrival;

		/**
		 * When the place asked last.
		 */
		private volatile long askedAt;

		private final AtomicReference<@Nullable Runnable> onMessage = new AtomicReference<>();

		private final AtomicReference<ReleaseSignal.@Nullable Subscription> byHand = new AtomicReference<>();

		/**
		 * Whether a message came before anybody listened.
		 */
		private final AtomicBoolean missed = new AtomicBoolean();

		private volatile boolean behindOthersByHand;

		private volatile boolean closed;

		private Place(RedissonOwner owner) {
			this.owner = owner;
			this.heard = QueueSignals.this.channels.compute(owner.names().channelOf(owner.jvm()), (channel, known) -> {
				Heard all = (known != null) ? known : new Heard(channel);
				all.places.put(owner.id(), this);
				return all;
			});
			this.arrival = this.heard.arrivals.incrementAndGet();
			this.heard.order.add(this.arrival);
			noteQuestion();
		}

		/**
		 * Note that the place asks now.
		 */
		void noteQuestion() {
			this.askedAt = System.nanoTime();
		}

		/**
		 * Note whether the server has answered a question of this place, for all places
		 * of this JVM.
		 */
		void noteAnswer(boolean answered) {
			this.heard.failed = !answered;
		}

		/**
		 * Return whether the last question of any place of this JVM has failed: what
		 * others were answered before may be true no longer.
		 */
		boolean hasFailed() {
			return this.heard.failed;
		}

		/**
		 * Return whether to ask although no message came. Of the places of this JVM the
		 * oldest asks at each poll: it finds a holder that has died, an outage, and a
		 * message that was lost, which it sends again. The others ask now and then.
		 */
		boolean isQuestionDue(LeaseRequest request) {
			long pause = Math.min(request.lookInterval().toNanos() * POLLS_PER_QUESTION,
					request.leaseTime().toNanos() / QUESTIONS_PER_LIFE);
			return !this.heard.hearing || this.heard.failed || this.heard.isOldest(this.arrival)
					|| System.nanoTime() - this.askedAt >= pause;
		}

		/**
		 * Listen, as others are in front.
		 * @param listener called when this place is to ask
		 * @return this, to be closed
		 */
		ReleaseSignal.Subscription listen(Runnable listener) {
			this.onMessage.set(listener);
			this.heard.begin();
			if (this.behindOthersByHand) {
				hearByHand(listener);
			}
			if (this.missed.getAndSet(false)) {
				listener.run();
			}
			return this;
		}

		/**
		 * Note that somebody who uses Redisson by hand is in front.
		 */
		void behindOthersByHand() {
			this.behindOthersByHand = true;
			Runnable listener = this.onMessage.get();
			if (listener != null) {
				hearByHand(listener);
			}
		}

		private void hearByHand(Runnable listener) {
			if (this.byHand.get() != null) {
				return;
			}
			ReleaseSignal.Subscription subscription = QueueSignals.this.releases
				.listen(this.owner.names().channelOf(this.owner.id()), listener);
			if (!this.byHand.compareAndSet(null, subscription)) {
				subscription.close();
			}
			else if (this.closed) {
				stopHearingByHand();
			}
		}

		private void tell() {
			this.missed.set(true);
			Runnable listener = this.onMessage.get();
			if (listener != null && this.missed.getAndSet(false)) {
				listener.run();
			}
		}

		@Override
		public void close() {
			this.closed = true;
			stopHearingByHand();
			this.heard.order.remove(this.arrival);
			this.heard.places.remove(this.owner.id(), this);
			this.heard.endSoon();
		}

		private void stopHearingByHand() {
			ReleaseSignal.Subscription subscription = this.byHand.getAndSet(null);
			if (subscription != null) {
				subscription.close();
			}
		}

	}

	/**
	 * A channel of this JVM and a key, with the places that it serves.
	 */
	private final class Heard {

		private final String channel;

		private final ConcurrentHashMap<String, Place> places = new ConcurrentHashMap<>();

		private final AtomicLong arrivals = new AtomicLong();

		private final ConcurrentSkipListSet<Long> order = new ConcurrentSkipListSet<>();

		private final AtomicBoolean begun = new AtomicBoolean();

		private final AtomicBoolean ending = new AtomicBoolean();

		private final AtomicReference<ReleaseSignal.@Nullable Subscription> subscription = new AtomicReference<>();

		/**
		 * Whether messages arrive. They do not if there is no channel left.
		 */
		private volatile boolean hearing;

		private volatile boolean failed;

		private volatile boolean ended;

		private Heard(String channel) {
			this.channel = channel;
		}

		private boolean isOldest(long arrival) {
			return this.order.lower(arrival) == null;
		}

		private void begin() {
			if (!this.begun.compareAndSet(false, true)) {
				return;
			}
			this.subscription.set(QueueSignals.this.releases.listen(this.channel, this::tell, () -> {
				this.hearing = true;
				// places that have asked before messages arrive ask once more
				this.places.values().forEach(Place::tell);
			}));
			if (this.ended) {
				end();
			}
		}

		private void tell(String owner) {
			Place next = this.places.get(owner);
			// the owner may just have left; its own command wakes the next one then
			if (next != null) {
				next.tell();
			}
		}

		private void endSoon() {
			if (!this.places.isEmpty()) {
				return;
			}
			if (!this.begun.get()) {
				// the lock was free, and nobody has waited
				endUnused(this.channel);
			}
			else if (this.ending.compareAndSet(false, true)) {
				DelayedTasks.after(KEPT).execute(() -> endUnused(this.channel));
			}
		}

		private void end() {
			this.ended = true;
			ReleaseSignal.Subscription current = this.subscription.getAndSet(null);
			if (current != null) {
				current.close();
			}
		}

	}

}
