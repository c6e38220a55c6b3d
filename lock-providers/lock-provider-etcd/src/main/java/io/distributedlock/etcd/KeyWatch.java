package io.distributedlock.etcd;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.support.DelayedTasks;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Watch;
import org.jspecify.annotations.Nullable;

/**
 * Watches one key at a time, and sends a signal when that key is deleted. Also sends one
 * when etcd has ended the watch, so that the place looks and begins another watch.
 */
final class KeyWatch {

	/**
	 * How long to wait before a watch that etcd has ended is begun again. A watch that is
	 * refused may be refused again immediately: without this pause that would be a loop
	 * without end. A release in the meantime is found by the look after the pause.
	 */
	private static final Duration PAUSE = Duration.ofMillis(500);

	private final EtcdCalls calls;

	private final boolean changes;

	private final Runnable onSignal;

	private final AtomicReference<Watch.@Nullable Watcher> watcher = new AtomicReference<>();

	private volatile @Nullable ByteSequence watched;

	/**
	 * Create a watch on no key.
	 * @param changes whether to send a signal also when the value of the key changes
	 * @param onSignal called on any thread, and sometimes for a key that was watched
	 * before
	 */
	KeyWatch(EtcdCalls calls, boolean changes, Runnable onSignal) {
		this.calls = calls;
		this.changes = changes;
		this.onSignal = onSignal;
	}

	/**
	 * Watch a key instead of the one before, unless it is watched already.
	 * @param fromRevision the first revision that the caller has not seen: what happened
	 * since then is told too
	 */
	void begin(ByteSequence key, long fromRevision) {
		if (key.equals(this.watched) && this.watcher.get() != null) {
			return;
		}
		this.watched = key;
		replace(this.calls.watch(key, fromRevision, this.changes, this::signal, this::signalLater));
	}

	void end() {
		replace(null);
	}

	/**
	 * The next look begins a watch in any case: etcd may have ended this one.
	 */
	private void signal() {
		this.watched = null;
		this.onSignal.run();
	}

	private void signalLater() {
		DelayedTasks.after(PAUSE).execute(this::signal);
	}

	private void replace(Watch.@Nullable Watcher next) {
		Watch.Watcher before = this.watcher.getAndSet(next);
		if (before != null) {
			before.close();
		}
	}

}
