package io.distributedlock.engine;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;

/**
 * Finds out that no handle is left that could release a lock: all were garbage-collected
 * without a close, or the last one was closed by a thread that had no stack left for the
 * release. Thread-safe.
 * <p>
 * Why: docs/decisions/014-abandoned-handles.md
 */
final class UnreleasedHandles {

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<UnreleasedHandles, @Nullable WeakReference> USE_MARKER = AtomicReferenceFieldUpdater
		.newUpdater(UnreleasedHandles.class, WeakReference.class, "useMarker");

	/**
	 * Refers to an object to which only handles refer.
	 */
	private volatile @Nullable WeakReference<Object> useMarker;

	private volatile boolean closedWithoutRelease;

	/**
	 * Return the object to which a handle refers as long as it may be closed.
	 */
	Object useMarker() {
		while (true) {
			WeakReference<Object> known = this.useMarker;
			Object marker = (known != null) ? known.get() : null;
			if (marker != null) {
				return marker;
			}
			Object created = new Object();
			if (USE_MARKER.compareAndSet(this, known, new WeakReference<>(created))) {
				return created;
			}
		}
	}

	/**
	 * Note that the last handle was closed by a thread that had no stack left for the
	 * release.
	 */
	void closedWithoutRelease() {
		this.closedWithoutRelease = true;
	}

	/**
	 * Return why no handle will release the lock any more, {@code null} if one may.
	 */
	@Nullable String reason() {
		if (this.closedWithoutRelease) {
			return "its handle was closed by a thread that had no stack left for the release";
		}
		WeakReference<Object> known = this.useMarker;
		return (known != null && known.get() == null)
				? "its handle was never closed, and the application no longer has a reference to it" : null;
	}

}
