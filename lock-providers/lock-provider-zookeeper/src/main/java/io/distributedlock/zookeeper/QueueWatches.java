package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.spi.support.DelayedTasks;

/**
 * The watches on queues in which this JVM has places, and for a while after the last
 * place has gone: a lock that others wait for is soon asked for again. Thread-safe.
 * <p>
 * Why: docs/decisions/035-zookeeper-term.md
 */
final class QueueWatches implements AutoCloseable {

	/**
	 * How long a queue is watched that has no place.
	 */
	private static final Duration UNUSED = Duration.ofSeconds(10);

	private final ZooKeeperCalls calls;

	private final Connection connection;

	private final Map<String, QueueWatch> watches = new ConcurrentHashMap<>();

	QueueWatches(ZooKeeperCalls calls, Connection connection) {
		this.calls = calls;
		this.connection = connection;
	}

	/**
	 * Return whether a queue is watched now.
	 */
	boolean isActive(String parent) {
		QueueWatch watch = this.watches.get(parent);
		return watch != null && watch.isActive();
	}

	/**
	 * Tell a place of what happens in a queue, once the watch has begun.
	 * @return the watch
	 */
	QueueWatch add(String parent, QueueWatch.Waiter waiter) {
		return this.watches.compute(parent, (key, known) -> {
			QueueWatch watch = (known != null) ? known : create(key);
			watch.add(waiter);
			return watch;
		});
	}

	void remove(String parent, QueueWatch.Waiter waiter) {
		QueueWatch watch = this.watches.get(parent);
		if (watch != null) {
			watch.remove(waiter);
		}
	}

	@Override
	public void close() {
		this.watches.values().forEach(QueueWatch::end);
		this.watches.clear();
	}

	private QueueWatch create(String parent) {
		endIfUnused(parent);
		return new QueueWatch(this.calls, this.connection, parent);
	}

	private void endIfUnused(String parent) {
		DelayedTasks.after(UNUSED.dividedBy(2)).execute(() -> {
			QueueWatch remaining = this.watches.computeIfPresent(parent, (key, watch) -> {
				if (watch.isUnused(UNUSED)) {
					watch.end();
					return null;
				}
				return watch;
			});
			if (remaining != null) {
				endIfUnused(parent);
			}
		});
	}

}
