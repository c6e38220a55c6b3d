package io.distributedlock.micrometer;

import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

/**
 * The meters of all locks with one name and provider. They are registered together, so
 * that a counter that is zero is there too: an alert needs it.
 *
 * @param held how many locks this JVM holds
 * @param waiting how many calls ask for a lock
 * @param handOvers counts the locks that were passed on
 * @param renewals times the renewals
 * @param releases times the releases
 * @param renewalFailures counts the renewals that failed
 * @param losses counts the locks that were lost
 * @param lateReleases counts the holders that left after the loss
 * @param releaseFailures counts the releases that failed
 */
record GroupMeters(AtomicInteger held, AtomicInteger waiting, Counter handOvers, Timer renewals, Timer releases,
		Counter renewalFailures, Counter losses, Counter lateReleases, Counter releaseFailures) {

	static GroupMeters register(MeterRegistry registry, Tags tags) {
		return new GroupMeters(gauge(registry, tags, "lock.held", "Locks that this node holds"),
				gauge(registry, tags, "lock.waiting",
						"Calls of this node that have asked for a lock and have no answer"),
				counter(registry, tags, "lock.hand.overs",
						"Locks that a caller got from another caller of this node, without a request to the backend"),
				timer(registry, tags, "lock.renewals",
						"Renewals of leases: the time from the request to the answer of the backend"),
				timer(registry, tags, "lock.releases",
						"Releases of leases: the time from the request to the answer of the backend"),
				counter(registry, tags, "lock.renewal.failures",
						"Renewals that failed. Each is tried again while the lease runs"),
				counter(registry, tags, "lock.lost", "Locks whose lease ended while they were held"),
				counter(registry, tags, "lock.late.releases", "Holders that left after their lock was lost"),
				counter(registry, tags, "lock.release.failures", "Releases that failed. The lease expires by itself"));
	}

	static AtomicInteger gauge(MeterRegistry registry, Tags tags, String name, String description) {
		AtomicInteger number = new AtomicInteger();
		Gauge.builder(name, number, AtomicInteger::get)
			.description(description)
			.tags(tags)
			// a registry keeps a weak reference by default
			.strongReference(true)
			.register(registry);
		return number;
	}

	private static Timer timer(MeterRegistry registry, Tags tags, String name, String description) {
		return Timer.builder(name).description(description).tags(tags).register(registry);
	}

	private static Counter counter(MeterRegistry registry, Tags tags, String name, String description) {
		return Counter.builder(name).description(description).tags(tags).register(registry);
	}

}
