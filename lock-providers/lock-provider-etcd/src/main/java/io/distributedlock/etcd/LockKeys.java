package io.distributedlock.etcd;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

	private static final Pattern PERMITS = Pattern.compile("\\d{1,9}");

	/**
	 * Return the keys of the lock that is asked for.
	 * @param prefix what the keys of all locks start with
	 */
	static LockKeys of(String prefix, LeaseRequest request) {
		return new LockKeys(prefixOf(prefix, request.key(), request.type()), request.type() == LockType.READ,
				request.permits());
	}

	/**
	 * Return the keys of a lock as the owner of a key in etcd sees them.
	 * @param prefix what all keys of the lock start with
	 */
	static LockKeys of(String prefix, KeyValue own) {
		boolean reader = own.getKey().startsWith(EtcdCalls.bytes(prefix + READERS));
		Matcher permits = PERMITS.matcher(own.getValue().toString());
		return new LockKeys(prefix, reader, permits.matches() ? Integer.parseInt(permits.group()) : 1);
	}

	/**
	 * Return what all keys of a lock start with.
	 * @param prefix what the keys of all locks start with
	 */
	static String prefixOf(String prefix, String key, LockType type) {
		// a semaphore and a lock with the same key do not exclude each other
		return prefix + key + ((type == LockType.SEMAPHORE) ? "~permits/" : "/");
	}

	/**
	 * Return the key of an owner.
	 */
	ByteSequence own(String owner) {
		return EtcdCalls.bytes(this.prefix + (this.reader ? READERS : WRITERS) + owner);
	}

	/**
	 * Return the value of the key of an owner: how many owners there may be, so that
	 * others can tell whether this is one of them or waits.
	 */
	ByteSequence value() {
		return (this.permits == 1) ? ByteSequence.EMPTY : EtcdCalls.bytes(Integer.toString(this.permits));
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
		return found.stream().filter((other) -> other.getCreateRevision() < revision).count() < this.permits;
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
	 * As {@link #isFree(List, long)}, where all keys of the lock were read.
	 */
	boolean isFreeAmong(List<KeyValue> all, long revision) {
		ByteSequence contested = contested();
		return isFree(all.stream().filter((each) -> each.getKey().startsWith(contested)).toList(), revision);
	}

	/**
	 * Return whether a key is that of a writer.
	 */
	static boolean excludesReaders(ByteSequence prefix, KeyValue key) {
		return key.getKey().startsWith(prefix.concat(EtcdCalls.bytes(WRITERS)));
	}

	private ByteSequence contested() {
		return EtcdCalls.bytes(this.reader ? this.prefix + WRITERS : this.prefix);
	}

	private GetOption.Builder option() {
		return GetOption.builder().isPrefix(true).withSortField(GetOption.SortTarget.CREATE).withKeysOnly(true);
	}

}
