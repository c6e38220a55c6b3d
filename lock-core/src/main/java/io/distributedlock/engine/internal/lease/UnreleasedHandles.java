package io.distributedlock.engine.internal.lease;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;

/**
 * Finds out that no handle is left that could release a lock: all were garbage-collected
 * without a close. Thread-safe.
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
	 * Return why no handle will release the lock any more, {@code null} if one may.
	 */
	@Nullable String reason() {
		WeakReference<Object> known = this.useMarker;
		return (known != null && known.get() == null)
				? "its handle was never closed, and the application no longer has a reference to it" : null;
	}

}
