package io.distributedlock.etcd;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.etcd.WatchedQueue.QueuedKey;
import io.distributedlock.spi.support.DelayedTasks;
import io.etcd.jetcd.ByteSequence;

/**
 * The queues in which this JVM has places. A queue is watched for a while after its last
 * place has gone: a lock that others wait for is soon asked for again. Thread-safe.
 */
final class WatchedQueues implements AutoCloseable {

	/**
	 * How long a queue is watched that has no place.
	 */
	private static final Duration UNUSED = Duration.ofSeconds(10);

	private final EtcdCalls calls;

	private final Map<ByteSequence, WatchedQueue> queues = new ConcurrentHashMap<>();

	WatchedQueues(EtcdCalls calls) {
		this.calls = calls;
	}

	/**
	 * Watch a queue for a place in it.
	 * @param prefix what all keys of the lock start with
	 */
	void watch(ByteSequence prefix, QueuedKey place) {
		WatchedQueue queue = this.queues.compute(prefix, (key, known) -> {
			WatchedQueue chosen = (known != null) ? known : begin(key);
			chosen.add(place);
			return chosen;
		});
		queue.tell(place);
	}

	/**
	 * Tell a place no more.
	 */
	void leave(ByteSequence prefix, QueuedKey place) {
		WatchedQueue queue = this.queues.get(prefix);
		if (queue != null) {
			queue.remove(place);
		}
	}

	@Override
	public void close() {
		this.queues.keySet().forEach((prefix) -> {
			WatchedQueue queue = this.queues.remove(prefix);
			if (queue != null) {
				queue.close();
			}
		});
	}

	private WatchedQueue begin(ByteSequence prefix) {
		WatchedQueue queue = new WatchedQueue(this.calls, prefix);
		closeIfUnused(prefix);
		return queue;
	}

	private void closeIfUnused(ByteSequence prefix) {
		DelayedTasks.after(UNUSED).execute(() -> {
			WatchedQueue remaining = this.queues.computeIfPresent(prefix, (key, queue) -> {
				if (queue.isUnused(UNUSED)) {
					queue.close();
					return null;
				}
				return queue;
			});
			if (remaining != null) {
				closeIfUnused(prefix);
			}
		});
	}

}
