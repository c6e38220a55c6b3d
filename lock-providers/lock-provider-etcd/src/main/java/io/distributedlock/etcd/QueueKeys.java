package io.distributedlock.etcd;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

import io.etcd.jetcd.ByteSequence;

/**
 * All keys of one lock as etcd had them at one revision, in the order in which they were
 * created. A key that was created later never comes before one's own, so who is first
 * stays first. Not thread-safe.
 * <p>
 * Why: docs/decisions/038-one-etcd-lease-for-many-locks.md
 */
final class QueueKeys {

	private final Map<ByteSequence, Long> revisions = new HashMap<>();

	private final NavigableSet<Long> all = new TreeSet<>();

	private final NavigableSet<Long> writers = new TreeSet<>();

	/**
	 * The last revision whose changes are in here.
	 */
	private long upTo;

	/**
	 * Create the keys as they were read.
	 * @param upTo the revision at which they were read
	 */
	QueueKeys(List<Key> keys, long upTo) {
		keys.forEach(this::add);
		this.upTo = upTo;
	}

	/**
	 * Take over that a key was created, changed or deleted, unless that is known.
	 */
	void takeOver(Key key, boolean deleted) {
		if (key.changedAt() > this.upTo) {
			remove(key.name());
			if (!deleted) {
				add(key);
			}
		}
	}

	/**
	 * Note that all changes up to a revision are in here.
	 */
	void isUpTo(long revision) {
		this.upTo = Math.max(this.upTo, revision);
	}

	long upTo() {
		return this.upTo;
	}

	boolean contains(long revision) {
		return this.all.contains(revision);
	}

	boolean hasWriterBefore(long revision) {
		return this.writers.lower(revision) != null;
	}

	/**
	 * Return whether a key is one of the first.
	 * @param count how many of the first count
	 */
	boolean isAmongFirst(int count, long revision) {
		return this.all.headSet(revision).stream().limit(count).count() < count;
	}

	private void add(Key key) {
		this.revisions.put(key.name(), key.createdAt());
		this.all.add(key.createdAt());
		if (key.excludesReaders()) {
			this.writers.add(key.createdAt());
		}
	}

	private void remove(ByteSequence name) {
		Long revision = this.revisions.remove(name);
		if (revision != null) {
			this.all.remove(revision);
			this.writers.remove(revision);
		}
	}

	/**
	 * A key of the lock.
	 *
	 * @param name the key
	 * @param createdAt the revision at which it was created
	 * @param changedAt the revision of its last change, which may be its deletion
	 * @param excludesReaders whether it is that of a writer
	 */
	record Key(ByteSequence name, long createdAt, long changedAt, boolean excludesReaders) {
	}

}
