package io.distributedlock.etcd;

import java.util.List;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;

/**
 * The keys of one lock in etcd, as one owner sees them: what its own key is called, and
 * which of the others it waits for.
 *
 * @param prefix what all keys of the lock start with
 * @param reader whether the owner is a reader, who waits for writers only
 * @param permits how many owners may have the lock at a time
 */
record LockKeys(String prefix, boolean reader, int permits) {

	private static final String WRITERS = "w/";

	private static final String READERS = "r/";

	/**
	 * Return the keys of the lock that is asked for.
	 * @param prefix what the keys of all locks start with
	 */
	static LockKeys of(String prefix, LeaseRequest request) {
		// a semaphore and a lock with the same key do not exclude each other
		String end = (request.type() == LockType.SEMAPHORE) ? "~permits/" : "/";
		return new LockKeys(prefix + request.key() + end, request.type() == LockType.READ, request.permits());
	}

	/**
	 * Return the key of an owner.
	 */
	ByteSequence own(String owner) {
		return EtcdCalls.bytes(this.prefix + (this.reader ? READERS : WRITERS) + owner);
	}

	/**
	 * Return what all keys of the lock start with.
	 */
	ByteSequence all() {
		return EtcdCalls.bytes(this.prefix);
	}

	/**
	 * Read the last keys, as many as can decide whether the lock is free, in the
	 * transaction that creates one's own key.
	 */
	Op last() {
		return Op.get(contested(), option().withSortOrder(GetOption.SortOrder.DESCEND)
			// one's own is among them
			.withLimit(this.reader ? 1 : this.permits + 1L)
			.build());
	}

	/**
	 * Read the last keys that are older than one's own, as many as can decide whether the
	 * lock is free.
	 * @param revision the revision at which one's own key was created
	 */
	Op lastBefore(long revision) {
		return Op.get(contested(),
				option().withSortOrder(GetOption.SortOrder.DESCEND)
					.withMaxCreateRevision(revision - 1)
					.withLimit(this.permits)
					.build());
	}

	/**
	 * Return whether so few keys stand before one's own that the lock is free.
	 * @param found the keys that were read
	 * @param revision the revision at which one's own key was created
	 */
	boolean isFree(List<KeyValue> found, long revision) {
		return found.stream()
			.filter((other) -> other.getCreateRevision() < revision && standsBefore(other))
			.count() < this.permits;
	}

	/**
	 * Return whether so few keys stand before one's own that the lock is free.
	 * @param queue all keys of the lock
	 * @param revision the revision at which one's own key was created
	 */
	boolean isFree(QueueKeys queue, long revision) {
		return this.reader ? !queue.hasWriterBefore(revision) : queue.isAmongFirst(this.permits, revision);
	}

	/**
	 * Return whether a key is that of a writer who still excludes readers.
	 */
	static boolean excludesReaders(ByteSequence prefix, KeyValue key) {
		return key.getKey().startsWith(prefix.concat(EtcdCalls.bytes(WRITERS)))
				&& !EtcdLease.READS.equals(key.getValue());
	}

	private ByteSequence contested() {
		return EtcdCalls.bytes(this.reader ? this.prefix + WRITERS : this.prefix);
	}

	private GetOption.Builder option() {
		return GetOption.builder()
			.isPrefix(true)
			.withSortField(GetOption.SortTarget.CREATE)
			// the value says whether a writer only reads now, which matters to readers
			.withKeysOnly(!this.reader);
	}

	/**
	 * Return whether an older key excludes this owner. A writer who only reads now has
	 * been granted the lock, so no other writer is older than it: a reader behind it
	 * waits for nobody.
	 */
	private boolean standsBefore(KeyValue older) {
		return !this.reader || !EtcdLease.READS.equals(older.getValue());
	}

}
