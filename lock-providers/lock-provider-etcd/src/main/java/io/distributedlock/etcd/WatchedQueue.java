package io.distributedlock.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.Mutex;
import io.distributedlock.spi.support.SharedWatch;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import org.jspecify.annotations.Nullable;

/**
 * The queue for one lock, as etcd tells of it, for all places of this JVM in that queue.
 * One watch tells of every change, so a place knows that it has come to the front without
 * a question. If etcd ends the watch, the places look, and another watch begins.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/038-one-etcd-lease-for-many-locks.md
 */
final class WatchedQueue extends SharedWatch<WatchedQueue.QueuedKey> {

	private final Mutex mutex = new Mutex();

	/**
	 * How long to wait before a watch that etcd has ended is begun again. A watch that is
	 * refused may be refused again immediately: without this pause that would be a loop
	 * without end. A release in the meantime is found by the look after the pause.
	 */
	private static final Duration PAUSE = Duration.ofMillis(500);

	private final EtcdCalls calls;

	private final ByteSequence prefix;

	/**
	 * What happened since the watch has begun and before the keys were read.
	 */
	private final List<WatchResponse> early = new ArrayList<>();

	private int watchNumber;

	private Watch.@Nullable Watcher watcher;

	private @Nullable QueueKeys keys;

	WatchedQueue(EtcdCalls calls, ByteSequence prefix) {
		this.calls = calls;
		this.prefix = prefix;
	}

	/**
	 * Tell a place that was just added what is known, and watch if no watch is there.
	 */
	void tell(QueuedKey place) {
		this.mutex.get(() -> message(place)).run();
		int number = this.mutex.get(() -> (this.watchNumber == 0) ? ++this.watchNumber : 0);
		if (number != 0) {
			watch(number);
		}
	}

	@Override
	protected void end() {
		this.mutex.get(this::forget).run();
	}

	/**
	 * Forget the watch and what it has told.
	 * @return ends it, which is done without the mutex
	 */
	private Runnable forget() {
		Watch.Watcher ended = this.watcher;
		this.watchNumber++;
		this.watcher = null;
		this.keys = null;
		this.early.clear();
		return (ended != null) ? ended::close : () -> {
		};
	}

	private void watch(int number) {
		Watch.Watcher begun;
		try {
			begun = this.calls.watch(this.prefix, (response) -> onResponse(number, response), () -> onEnded(number));
		}
		catch (RuntimeException ex) {
			onEnded(number);
			return;
		}
		boolean current = this.mutex.get(() -> {
			if (number == this.watchNumber) {
				this.watcher = begun;
			}
			return number == this.watchNumber;
		});
		if (!current) {
			begun.close();
		}
	}

	private void onResponse(int number, WatchResponse response) {
		if (response.isCreatedNotify()) {
			// after the watch has begun, so that no change is missed
			this.calls.read(this.prefix).whenComplete((read, failure) -> {
				if (failure != null) {
					onEnded(number);
				}
				else {
					onRead(number, read);
				}
			});
			return;
		}
		if (this.mutex.get(() -> takeOver(number, response))) {
			tellAll();
		}
	}

	/**
	 * Take over what a watch has told.
	 * @return {@code false} if it is too late or too early for that
	 */
	private boolean takeOver(int number, WatchResponse response) {
		QueueKeys known = this.keys;
		if (number != this.watchNumber) {
			return false;
		}
		if (known == null) {
			this.early.add(response);
			return false;
		}
		apply(known, response);
		return true;
	}

	private void onRead(int number, GetResponse read) {
		boolean current = this.mutex.get(() -> {
			if (number == this.watchNumber) {
				QueueKeys known = new QueueKeys(read.getKvs().stream().map(this::key).toList(),
						read.getHeader().getRevision());
				this.early.forEach((response) -> apply(known, response));
				this.early.clear();
				this.keys = known;
			}
			return number == this.watchNumber;
		});
		if (current) {
			tellAll();
		}
	}

	private void apply(QueueKeys keys, WatchResponse response) {
		long last = 0;
		for (WatchEvent event : response.getEvents()) {
			QueueKeys.Key key = key(event.getKeyValue());
			last = key.changedAt();
			keys.takeOver(key, event.getEventType() == WatchEvent.EventType.DELETE);
		}
		keys.isUpTo(last);
	}

	private QueueKeys.Key key(KeyValue key) {
		return new QueueKeys.Key(key.getKey(), key.getCreateRevision(), key.getModRevision(),
				LockKeys.excludesReaders(this.prefix, key));
	}

	private void onEnded(int number) {
		Runnable ending = this.mutex.get(() -> (number == this.watchNumber) ? forget() : null);
		if (ending != null) {
			// jetcd would begin it again by itself
			ending.run();
			DelayedTasks.after(PAUSE).execute(() -> watchAgain(number + 1));
		}
	}

	private void watchAgain(int number) {
		if (this.mutex.get(() -> number == this.watchNumber)) {
			watch(number);
			waiters().forEach(QueuedKey::missed);
		}
	}

	private void tellAll() {
		this.mutex.get(() -> waiters().stream().map(this::message).toList()).forEach(Runnable::run);
	}

	/**
	 * Return what a place must be told, which is said without the mutex.
	 */
	private Runnable message(QueuedKey place) {
		QueueKeys known = this.keys;
		long revision = place.revision();
		if (known == null || known.upTo() < revision) {
			return () -> {
			};
		}
		if (!known.contains(revision)) {
			return place::gone;
		}
		return place.isFirst(known) ? place::first : () -> {
		};
	}

	/**
	 * A place of this JVM in the queue.
	 */
	interface QueuedKey {

		/**
		 * Return the revision at which the key of this place was created.
		 */
		long revision();

		/**
		 * Return whether the place has come to the front.
		 * @param queue all keys of the lock, among them that of this place
		 */
		boolean isFirst(QueueKeys queue);

		/**
		 * Called when the place has come to the front, perhaps more than once.
		 */
		void first();

		/**
		 * Called when the key of this place is no longer there.
		 */
		void gone();

		/**
		 * Called when changes may have been missed.
		 */
		void missed();

	}

}
