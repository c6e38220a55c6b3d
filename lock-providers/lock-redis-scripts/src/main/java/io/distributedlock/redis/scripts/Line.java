package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.DelayedTasks;
import org.jspecify.annotations.Nullable;

/**
 * The places of this JVM in the line of one key. They are asked about with one question,
 * however many they are: it lets the JVM count as alive, finds a grant whose message was
 * lost, and grants a lock whose holder has died. It is asked once in an interval, and
 * when the lease of the holder ends.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 */
final class Line {

	/**
	 * By how much a question may come too early, so that a timer that is a little fast
	 * does not cost a whole interval.
	 */
	private static final long EARLY_NANOS = 1_000_000;

	/**
	 * What the server answers if the lock is free for those outside the line.
	 */
	private static final long NO_LEASE = -2;

	private final ExclusiveLocks locks;

	private final List<String> keys;

	private final AtomicLong order = new AtomicLong();

	private final ConcurrentSkipListMap<Long, LinePlace> places = new ConcurrentSkipListMap<>();

	private final AtomicBoolean looking = new AtomicBoolean();

	private final AtomicBoolean lookingLater = new AtomicBoolean();

	private final RetryPauses again = new RetryPauses(this::onRelease);

	private final AtomicReference<ReleaseSignal.@Nullable Subscription> others = new AtomicReference<>();

	/**
	 * Whether others have released since the last question was sent.
	 */
	private volatile boolean released;

	private volatile long lookedAt = System.nanoTime();

	/**
	 * When the last question was sent after which this JVM counts as alive.
	 */
	private volatile long aliveSentAt;

	/**
	 * The time of the grants for which that was said: the longer, the longer the JVM
	 * counts as alive. Zero before it was said.
	 */
	private volatile long aliveGrantMillis;

	private volatile boolean failed;

	private volatile Seen seen = new Seen(0, Long.MAX_VALUE);

	/**
	 * Create a line without places.
	 * @param keys all keys of the lock
	 */
	Line(ExclusiveLocks locks, List<String> keys) {
		this.locks = locks;
		this.keys = keys;
	}

	String key() {
		return this.keys.get(0);
	}

	List<String> keys() {
		return this.keys;
	}

	/**
	 * Return the next number in the order of arrival.
	 */
	long nextOrder() {
		return this.order.incrementAndGet();
	}

	/**
	 * Add a place that the server has confirmed.
	 */
	void add(LinePlace place) {
		this.places.put(place.order(), place);
		if (this.released) {
			// a release was heard before the answer that has confirmed this place
			lookNow();
		}
	}

	void remove(LinePlace place) {
		this.places.remove(place.order());
		if (isEmpty()) {
			ignoreOthers();
			this.again.reset();
		}
	}

	boolean isEmpty() {
		return this.places.isEmpty();
	}

	boolean hasFailed() {
		return this.failed;
	}

	/**
	 * Return whether the JVM must say again that it is alive. It counts as alive for at
	 * least four intervals, so one may pass.
	 */
	boolean isAliveDue(long now, Duration interval, long grantMillis) {
		return now - this.aliveSentAt >= interval.toNanos() || grantMillis > this.aliveGrantMillis;
	}

	void noteAlive(long sentAt, long grantMillis) {
		this.aliveSentAt = sentAt;
		this.aliveGrantMillis = grantMillis;
	}

	/**
	 * Return when the term of a grant may begin. The grant is later than the last
	 * question if its token is higher than all that question saw.
	 * @param askedAt when the first question was sent
	 */
	long startOf(long token, long askedAt) {
		Seen last = this.seen;
		return (token > last.token && last.sentAt - askedAt > 0) ? last.sentAt : askedAt;
	}

	/**
	 * Ask about all places, unless that was done within the interval.
	 */
	void look(Duration interval) {
		if (System.nanoTime() - this.lookedAt >= interval.toNanos() - EARLY_NANOS) {
			lookNow();
		}
	}

	void lookNow() {
		LinePlace oldest = oldest();
		if (oldest == null || !this.looking.compareAndSet(false, true)) {
			return;
		}
		this.released = false;
		long sentAt = System.nanoTime();
		this.lookedAt = sentAt;
		ScriptCall call = this.locks.call(this.locks.scripts().look(), key(),
				List.of(this.locks.owner(oldest.number()), Long.toString(oldest.grantMillis()), oldest.entry()));
		this.locks.runner().<String>run(call).whenComplete((answer, failure) -> {
			this.looking.set(false);
			if (failure != null) {
				onFailure(this.locks.runner().translate(failure));
			}
			else {
				onAnswer(answer.split(" ", -1), oldest, sentAt);
			}
			if (this.released) {
				lookNow();
			}
		});
	}

	/**
	 * Ask who has the lock, after those outside the line had time to take it.
	 */
	void lookSoon() {
		this.again.soon();
	}

	/**
	 * Listen to releases by owners that hand nothing over, as one of them is the holder.
	 */
	void listenToOthers() {
		if (this.others.get() != null) {
			return;
		}
		ReleaseSignal.Subscription subscription = this.locks.runner().listen(key(), this::onRelease);
		if (!this.others.compareAndSet(null, subscription)) {
			subscription.close();
		}
		else if (isEmpty()) {
			ignoreOthers();
		}
	}

	private void ignoreOthers() {
		ReleaseSignal.Subscription subscription = this.others.getAndSet(null);
		if (subscription != null) {
			subscription.close();
		}
	}

	void onRelease() {
		this.released = true;
		lookNow();
	}

	private @Nullable LinePlace oldest() {
		Map.Entry<Long, LinePlace> first = this.places.firstEntry();
		return (first != null) ? first.getValue() : null;
	}

	private void onAnswer(String[] answer, LinePlace oldest, long sentAt) {
		this.failed = false;
		noteAlive(sentAt, oldest.grantMillis());
		long left = Long.parseLong(answer[0]);
		boolean unheard = answer[3].equals("+");
		if (answer[3].equals("*") || (unheard && left != NO_LEASE)) {
			listenToOthers();
		}
		else {
			// who listens counts as waiting outside the line
			ignoreOthers();
		}
		if (unheard) {
			lookSoon();
		}
		else {
			this.again.reset();
		}
		LinePlace holder = this.locks.place(answer[3]);
		if (holder != null) {
			holder.askForGrant();
		}
		else {
			this.seen = new Seen(sentAt, Long.parseLong(answer[1]));
		}
		boolean lost = holder == null && answer[2].equals("0") && oldest.isWaiting();
		this.places.values().forEach((place) -> place.askAgain(lost));
		if (left > 0 && left < oldest.request().lookInterval().toMillis()
				&& this.lookingLater.compareAndSet(false, true)) {
			DelayedTasks.after(Duration.ofNanos(TimeUnit.MILLISECONDS.toNanos(left) + EARLY_NANOS)).execute(() -> {
				this.lookingLater.set(false);
				lookNow();
			});
		}
	}

	private void onFailure(BackendException failure) {
		this.failed = true;
		if (!failure.isRetryable()) {
			this.places.values().forEach((place) -> place.fail(failure));
		}
	}

	/**
	 * What the last question saw.
	 *
	 * @param sentAt when it was sent
	 * @param token the highest token that any earlier grant can have
	 */
	private record Seen(long sentAt, long token) {
	}

}
