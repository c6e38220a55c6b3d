package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;

/**
 * Tells the places of this JVM when they may be first in their queue. Where messages
 * arrive, they name the owner that is first. Otherwise the place of this JVM that came
 * first asks: after each release by this JVM, and at intervals that grow with its wait.
 * Those behind it are rarely first before it has its lock, and are told then.
 * <p>
 * Why: docs/decisions/044-first-place-of-a-database-is-told.md
 */
final class PlaceSignals {

	/**
	 * The first interval: it adds to the time for which a key is free.
	 */
	private static final long FIRST_INTERVAL_NANOS = 1_000_000;

	/**
	 * An interval is this fraction of the wait so far, so that a place adds as little to
	 * its wait.
	 */
	private static final int INTERVALS_PER_WAIT = 8;

	private final ConcurrentHashMap<String, Set<Waiting>> byKey = new ConcurrentHashMap<>();

	private final JdbcCalls calls;

	private final @Nullable PostgresReleases releases;

	PlaceSignals(JdbcCalls calls, @Nullable PostgresReleases releases) {
		this.calls = calls;
		this.releases = releases;
	}

	/**
	 * Listen on behalf of a place.
	 * @param owner the owner that waits
	 * @param lookInterval how often the engine asks in any case
	 * @param ask asks whether the place is first; must not block
	 * @return ends this
	 */
	ReleaseSignal.Subscription listen(String key, QueuedOwner owner, Duration lookInterval, Runnable ask) {
		Waiting place = new Waiting(owner, lookInterval.toNanos(), ask);
		this.byKey.compute(key, (ignored, current) -> {
			Set<Waiting> places = (current != null) ? current : new LinkedHashSet<>();
			places.add(place);
			if (places.size() == 1) {
				place.begin();
			}
			return places;
		});
		PostgresReleases messages = this.releases;
		ReleaseSignal.Subscription listening = (messages != null)
				? messages.listen(ask, key, ReleaseAnnouncements.messageTo(key, owner.name())) : () -> {
				};
		return () -> {
			listening.close();
			remove(key, place);
		};
	}

	/**
	 * Tell the places of this JVM that it has released a key, without waiting for the
	 * database to do so.
	 * @param message the message of the release
	 */
	void released(String message) {
		if (this.releases != null) {
			this.releases.tell(message);
			return;
		}
		AtomicReference<@Nullable Waiting> first = new AtomicReference<>();
		this.byKey.computeIfPresent(message, (key, places) -> {
			first.set(places.iterator().next());
			return places;
		});
		Waiting place = first.get();
		if (place != null) {
			place.ask.run();
		}
	}

	/**
	 * Tell a place of this JVM that it is the first in its queue. Two that join at the
	 * same time may stand in another order there than here.
	 * @param owner who is first, in this JVM or another one
	 */
	void first(String key, String owner) {
		AtomicReference<@Nullable Waiting> named = new AtomicReference<>();
		this.byKey.computeIfPresent(key, (ignored, places) -> {
			places.stream().filter((each) -> each.owner.name().equals(owner)).findFirst().ifPresent(named::set);
			return places;
		});
		Waiting place = named.get();
		if (place != null) {
			place.ask.run();
		}
	}

	private void remove(String key, Waiting place) {
		place.end();
		this.byKey.computeIfPresent(key, (ignored, places) -> {
			boolean wasFirst = places.iterator().next() == place;
			places.remove(place);
			if (places.isEmpty()) {
				return null;
			}
			if (wasFirst) {
				places.iterator().next().begin();
			}
			return places;
		});
	}

	/**
	 * One place of this JVM.
	 */
	private final class Waiting {

		private final QueuedOwner owner;

		private final long lookNanos;

		private final Runnable ask;

		private final AtomicReference<@Nullable Future<?>> timer = new AtomicReference<>();

		private volatile boolean ended;

		private volatile long beganNanos;

		private Waiting(QueuedOwner owner, long lookNanos, Runnable ask) {
			this.owner = owner;
			this.lookNanos = lookNanos;
			this.ask = ask;
		}

		/**
		 * Ask at intervals from now on: this place is the first of this JVM.
		 */
		private void begin() {
			this.beganNanos = System.nanoTime();
			askLater();
		}

		private void askLater() {
			this.timer.set(PlaceSignals.this.calls.later(interval(), this::askNow));
			if (this.ended) {
				cancelTimer();
			}
		}

		private long interval() {
			PostgresReleases messages = PlaceSignals.this.releases;
			if (messages != null && messages.isListening()) {
				return this.lookNanos;
			}
			long since = this.owner.isFirst() ? this.owner.firstSinceNanos() : this.beganNanos;
			long waited = System.nanoTime() - since;
			return Math.min(this.lookNanos, Math.max(FIRST_INTERVAL_NANOS, waited / INTERVALS_PER_WAIT));
		}

		private void askNow() {
			if (!this.ended) {
				this.ask.run();
				askLater();
			}
		}

		private void end() {
			this.ended = true;
			cancelTimer();
		}

		private void cancelTimer() {
			Future<?> running = this.timer.getAndSet(null);
			if (running != null) {
				running.cancel(false);
			}
		}

	}

}
