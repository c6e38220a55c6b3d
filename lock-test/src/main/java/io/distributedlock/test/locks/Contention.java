package io.distributedlock.test.locks;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Another node holds a key, until this is closed. Made by {@link TestLocks#contend}.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class Contention implements AutoCloseable {

	private final AtomicBoolean closed = new AtomicBoolean();

	private final Runnable release;

	private final Runnable skipWaits;

	Contention(Runnable release, Runnable skipWaits) {
		this.release = release;
		this.skipWaits = skipWaits;
	}

	/**
	 * Do not let the test wait: as soon as a call waits for the key, the clock of the
	 * locks is put forward until the wait time of the call is over. Other leases without
	 * renewal may end in that time.
	 * @return this contention
	 */
	public Contention skipWaits() {
		this.skipWaits.run();
		return this;
	}

	/**
	 * Let the other node release the key: a caller that waits for it acquires it.
	 * Idempotent.
	 */
	public void release() {
		if (this.closed.compareAndSet(false, true)) {
			this.release.run();
		}
	}

	/**
	 * Let the other node release the key, as {@link #release()}.
	 */
	@Override
	public void close() {
		release();
	}

}
