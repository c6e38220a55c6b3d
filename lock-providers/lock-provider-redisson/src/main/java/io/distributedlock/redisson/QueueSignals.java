package io.distributedlock.redisson;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.redis.scripts.JvmChannel;
import io.distributedlock.redis.scripts.RetryPauses;
import io.distributedlock.redisson.internal.client.RedissonScript;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;

/**
 * The messages for places in the queues of fair locks. A release by this library names
 * the next owner on a channel of its JVM: one serves all places and keys. Code that uses
 * Redisson by hand publishes on a channel of the next owner alone: a place listens there
 * once somebody by hand is in front of it. Thread-safe.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 */
final class QueueSignals {

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

	private final JvmChannel channel;

	private final ConcurrentHashMap<String, Place> places = new ConcurrentHashMap<>();

	private final ConcurrentHashMap<String, Crowd> crowds = new ConcurrentHashMap<>();

	private final AtomicLong arrivals = new AtomicLong();

	/**
	 * Create an object for one provider.
	 * @param jvm what the names of all its owners begin with
	 */
	QueueSignals(RedissonRunner runner, String jvm) {
		this.releases = runner.releases();
		this.channel = new JvmChannel(runner, RedissonNames.channelOfJvm(jvm), this::tell, this::tellOldest);
	}

	/**
	 * Receive the messages for a place from now on, if the channel is open already.
	 * @return the messages, to be closed
	 */
	Place of(RedissonOwner owner, LeaseRequest request) {
		return new Place(owner, request);
	}

	private void tell(String owner) {
		Place next = this.places.get(owner);
		// the owner may just have left; its own command wakes the next one then
		if (next != null) {
			next.tell();
		}
	}

	/**
	 * Make up for messages that were missed: whoever asks wakes the first in its queue.
	 */
	private void tellOldest() {
		for (Crowd crowd : this.crowds.values()) {
			var oldest = crowd.places.firstEntry();
			if (oldest != null) {
				oldest.getValue().tell();
			}
		}
	}

	/**
	 * The messages for one place, and when it is to ask without one.
	 */
	final class Place implements ReleaseSignal.Subscription {

		private final RedissonOwner owner;

		private final LeaseRequest request;

		private final Crowd crowd;

		/**
		 * The number in the order of arrival in this JVM.
		 */
		private final long arrival = QueueSignals.this.arrivals.incrementAndGet();

		/**
		 * When the place asked last.
		 */
		private volatile long askedAt = System.nanoTime();

		private final AtomicReference<@Nullable Runnable> onMessage = new AtomicReference<>();

		private final LateSubscription byHand;

		private final LateSubscription holder;

		/**
		 * Whether a message came before anybody listened.
		 */
		private final AtomicBoolean missed = new AtomicBoolean();

		private final RetryPauses again = new RetryPauses(this::tell);

		private Place(RedissonOwner owner, LeaseRequest request) {
			this.owner = owner;
			this.request = request;
			RedissonReleases releases = QueueSignals.this.releases;
			this.byHand = new LateSubscription(() -> releases.listen(owner.names().channelOf(owner.id()), this::tell));
			this.holder = new LateSubscription(() -> releases.listen(owner.names(), this::tell));
			QueueSignals.this.places.put(owner.id(), this);
			this.crowd = QueueSignals.this.crowds.compute(owner.names().lock(), (lock, known) -> {
				Crowd present = (known != null) ? known : new Crowd();
				present.places.put(this.arrival, this);
				return present;
			});
		}

		/**
		 * Note that the place asks now.
		 */
		void noteQuestion() {
			this.askedAt = System.nanoTime();
		}

		/**
		 * Note whether the server has answered a question of this place, for all that
		 * wait for its lock in this JVM.
		 */
		void noteAnswer(boolean answered) {
			this.crowd.failed = !answered;
		}

		/**
		 * Return whether the last question of any place of this JVM has failed: what
		 * others were answered before may be true no longer.
		 */
		boolean hasFailed() {
			return this.crowd.failed;
		}

		/**
		 * Return whether to ask although no message came. Of the places of this JVM the
		 * oldest asks at each poll: it finds a holder that has died, an outage, and a
		 * message that was lost, which it sends again. The others ask now and then.
		 */
		boolean isQuestionDue() {
			long pause = Math.min(this.request.lookInterval().toNanos() * POLLS_PER_QUESTION,
					this.request.leaseTime().toNanos() / QUESTIONS_PER_LIFE);
			return QueueSignals.this.channel.subscription() == 0 || this.crowd.failed
					|| this.crowd.places.lowerKey(this.arrival) == null || System.nanoTime() - this.askedAt >= pause;
		}

		/**
		 * Listen, as others are in front.
		 * @param listener called when this place is to ask
		 * @return this, to be closed
		 */
		ReleaseSignal.Subscription listen(Runnable listener) {
			this.onMessage.set(listener);
			QueueSignals.this.channel.open(this.request.lookInterval());
			if (this.missed.getAndSet(false)) {
				listener.run();
			}
			return this;
		}

		/**
		 * Note that somebody who uses Redisson by hand is in front.
		 * @param answer what {@link RedissonScript#ACQUIRE_IN_TURN} has answered
		 */
		void noteByHand(long answer) {
			if (answer <= -2) {
				this.again.soon();
			}
			if (answer % 2 != 0) {
				this.byHand.open();
				if (answer <= -2) {
					this.holder.open();
				}
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
			this.byHand.close();
			this.holder.close();
			QueueSignals.this.places.remove(this.owner.id());
			QueueSignals.this.crowds.computeIfPresent(this.owner.names().lock(), (lock, crowd) -> {
				crowd.places.remove(this.arrival);
				return crowd.places.isEmpty() ? null : crowd;
			});
		}

	}

	/**
	 * The places of this JVM in the queue of one lock.
	 */
	private static final class Crowd {

		private final ConcurrentSkipListMap<Long, Place> places = new ConcurrentSkipListMap<>();

		private volatile boolean failed;

	}

}
