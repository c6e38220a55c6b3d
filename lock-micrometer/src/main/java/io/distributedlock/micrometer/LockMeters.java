package io.distributedlock.micrometer;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockObservation;
import io.distributedlock.LockObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * Counts what happens to the locks of a template. Add one object both as the
 * {@linkplain io.distributedlock.engine.LockTemplateBuilder#observer observer} and as a
 * {@linkplain io.distributedlock.engine.LockTemplateBuilder#listener listener} of one
 * template. Each meter has the tags {@code lock.name} and {@code lock.provider}, never
 * the key. The meters of a lock exist from its first call on. Two templates that lock the
 * same names need a registry or common tags of their own: a registry keeps one gauge of a
 * name. Thread-safe.
 *
 * @since 0.1
 */
public final class LockMeters implements LockObserver, LockListener {

	private final MeterRegistry registry;

	private final LockNames names = new LockNames();

	private final ConcurrentHashMap<Group, GroupMeters> groups = new ConcurrentHashMap<>();

	private final ConcurrentHashMap<String, AtomicInteger> down = new ConcurrentHashMap<>();

	/**
	 * Create meters.
	 * @param registry gets the meters
	 */
	public LockMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public LockObservation begin(LockEvent call) {
		GroupMeters meters = of(call);
		meters.waiting().incrementAndGet();
		return new CountedCall(meters);
	}

	@Override
	public void renewed(LockEvent event, Duration took) {
		of(event).renewals().record(took);
	}

	@Override
	public void renewalFailed(LockEvent event, Duration left, Throwable failure) {
		of(event).renewalFailures().increment();
	}

	@Override
	public void releaseAnswered(LockEvent event, Duration took) {
		of(event).releases().record(took);
	}

	@Override
	public void releaseFailed(LockEvent event, Duration held, Throwable failure) {
		of(event).releaseFailures().increment();
	}

	@Override
	public void lost(LockEvent event, Duration held, LockLostException loss) {
		of(event).losses().increment();
	}

	@Override
	public void outageBegan(String provider, Throwable failure) {
		down(provider).set(1);
	}

	@Override
	public void outageEnded(String provider, Duration lasted) {
		down(provider).set(0);
	}

	/**
	 * Return whether a provider is down, 1 or 0.
	 */
	private AtomicInteger down(String provider) {
		return this.down.computeIfAbsent(provider, (added) -> GroupMeters.gauge(this.registry,
				Tags.of("lock.provider", added), "lock.provider.down", "1 while the provider is down, 0 otherwise"));
	}

	private GroupMeters of(LockEvent event) {
		Group group = new Group(this.names.tagOf(event.name()), event.provider());
		GroupMeters known = this.groups.get(group);
		return (known != null) ? known : this.groups.computeIfAbsent(group, this::register);
	}

	private GroupMeters register(Group group) {
		down(group.provider());
		return GroupMeters.register(this.registry,
				Tags.of("lock.name", group.name(), "lock.provider", group.provider()));
	}

	/**
	 * The locks that share their meters.
	 *
	 * @param name the value of the tag
	 * @param provider the name of the provider
	 */
	private record Group(String name, String provider) {
	}

	/**
	 * One call, from its begin until its lock is released or lost.
	 */
	private static final class CountedCall implements LockObservation {

		private final GroupMeters meters;

		/**
		 * A loss and a release may come together, and a release comes after a loss.
		 */
		private final AtomicBoolean ended = new AtomicBoolean();

		private CountedCall(GroupMeters meters) {
			this.meters = meters;
		}

		@Override
		public void acquired(OptionalLong fencingToken, boolean passedOn) {
			this.meters.waiting().decrementAndGet();
			this.meters.held().incrementAndGet();
			if (passedOn) {
				this.meters.handOvers().increment();
			}
		}

		@Override
		public void notAcquired(LockNotAcquiredException.Reason reason) {
			this.meters.waiting().decrementAndGet();
		}

		@Override
		public void unavailable(Throwable failure) {
			this.meters.waiting().decrementAndGet();
		}

		@Override
		public void released() {
			if (this.ended.compareAndSet(false, true)) {
				this.meters.held().decrementAndGet();
			}
			else {
				this.meters.lateReleases().increment();
			}
		}

		@Override
		public void lost(LockLostException loss) {
			if (this.ended.compareAndSet(false, true)) {
				this.meters.held().decrementAndGet();
			}
		}

	}

}
