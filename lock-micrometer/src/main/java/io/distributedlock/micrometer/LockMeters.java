package io.distributedlock.micrometer;

import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockInfo;
import io.distributedlock.event.LockListener;
import io.distributedlock.event.LockObservation;
import io.distributedlock.event.LockObserver;
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

	private static final Set<Class<? extends LockEvent>> KINDS = Set.of(LockEvent.Renewed.class,
			LockEvent.RenewalFailed.class, LockEvent.Released.class, LockEvent.ReleaseFailed.class,
			LockEvent.Lost.class, LockEvent.OutageBegan.class, LockEvent.OutageEnded.class);

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
	public LockObservation begin(LockInfo call) {
		GroupMeters meters = of(call);
		meters.waiting().incrementAndGet();
		return new CountedCall(meters);
	}

	@Override
	public Set<Class<? extends LockEvent>> kinds() {
		return KINDS;
	}

	@Override
	public void on(LockEvent event) {
		if (event instanceof LockEvent.OfLock change) {
			count(change, of(change.lock()));
		}
		else {
			down(event.provider()).set((event instanceof LockEvent.OutageBegan) ? 1 : 0);
		}
	}

	private static void count(LockEvent.OfLock event, GroupMeters meters) {
		if (event instanceof LockEvent.Released released && released.took() != null) {
			meters.releases().record(released.took());
		}
		else if (event instanceof LockEvent.Renewed renewed) {
			meters.renewals().record(renewed.took());
		}
		else if (event instanceof LockEvent.RenewalFailed) {
			meters.renewalFailures().increment();
		}
		else if (event instanceof LockEvent.ReleaseFailed) {
			meters.releaseFailures().increment();
		}
		else if (event instanceof LockEvent.Lost) {
			meters.losses().increment();
		}
	}

	/**
	 * Return whether a provider is down, 1 or 0.
	 */
	private AtomicInteger down(String provider) {
		return this.down.computeIfAbsent(provider, (added) -> GroupMeters.gauge(this.registry,
				Tags.of("lock.provider", added), "lock.provider.down", "1 while the provider is down, 0 otherwise"));
	}

	private GroupMeters of(LockInfo lock) {
		Group group = new Group(this.names.tagOf(lock.name()), lock.provider());
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

		private boolean lost;

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
			if (this.lost) {
				this.meters.lateReleases().increment();
			}
			else {
				this.meters.held().decrementAndGet();
			}
		}

		@Override
		public void lost(LockLostException loss) {
			this.lost = true;
			this.meters.held().decrementAndGet();
		}

	}

}
