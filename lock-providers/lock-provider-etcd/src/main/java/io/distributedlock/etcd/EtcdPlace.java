package io.distributedlock.etcd;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.WatchingPlace;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import org.jspecify.annotations.Nullable;

/**
 * One owner's place among the keys of a lock. To take it costs two round trips: one for
 * the etcd lease, one for the key. If others are in front, a look costs one more, and the
 * place watches the last of those that matter.
 * <p>
 * Why: docs/decisions/015-one-place-in-the-queue-of-a-backend.md
 */
final class EtcdPlace extends WatchingPlace {

	private final EtcdCalls calls;

	private final LeaseRequest request;

	private final boolean mayWait;

	private final LockKeys keys;

	private final KeyWatch watch;

	private volatile long leaseId;

	private volatile @Nullable OwnKey own;

	private volatile long renewedAt;

	EtcdPlace(EtcdCalls calls, String prefix, LeaseRequest request, boolean mayWait) {
		super(EtcdErrors::translate);
		this.calls = calls;
		this.request = request;
		this.mayWait = mayWait;
		this.keys = LockKeys.of(prefix, request);
		this.watch = new KeyWatch(calls, this.keys.reader(), this::onSignal);
	}

	/**
	 * Take the place: make an etcd lease, then the key that it keeps.
	 */
	void take() {
		long sentAt = System.nanoTime();
		this.renewedAt = sentAt;
		this.calls.grant(wholeSeconds(this.request.leaseTime())).whenComplete((lease, failure) -> {
			if (failure != null) {
				fail(failure);
			}
			else {
				onLeaseMade(lease, sentAt);
			}
		});
	}

	private void onLeaseMade(LeaseGrantResponse lease, long sentAt) {
		this.leaseId = lease.getID();
		if (isOver()) {
			remove();
		}
		else if (this.request.remainingNanos() <= 0) {
			giveUp(new BackendException("etcd did not answer in time", true, null));
		}
		else {
			createKey(new LeaseTerm(sentAt, granted(lease.getTTL())));
		}
	}

	private void createKey(LeaseTerm term) {
		ByteSequence key = this.keys.own(this.leaseId);
		Op put = Op.put(key, ByteSequence.EMPTY, PutOption.builder().withLeaseId(this.leaseId).build());
		this.calls.ifCreatedAt(key, 0, put, this.keys.oldest()).whenComplete((response, failure) -> {
			if (failure != null) {
				giveUp(failure);
			}
			else if (!response.isSucceeded()) {
				// the client sent it again after a lost answer, and the answer to that
				// does not say when the key was created
				giveUp(new BackendException("the answer of etcd to the creation of a key was lost", true, null));
			}
			else {
				onKeyCreated(new OwnKey(key, response.getHeader().getRevision()), found(response), term);
			}
		});
	}

	private void onKeyCreated(OwnKey created, List<KeyValue> oldest, LeaseTerm term) {
		this.own = created;
		if (this.keys.isFree(oldest, created.revision())) {
			grant(created, term);
		}
		else if (this.mayWait) {
			// who is last in front is not known yet
			poll();
		}
		else {
			refuse();
		}
	}

	/**
	 * Look, and renew the etcd lease that keeps the place, whether a look is under way or
	 * not.
	 */
	@Override
	public void lookAgain() {
		if (!isTaken() || isOver()) {
			return;
		}
		long now = System.nanoTime();
		// a third of a lease, as for a lock that is held: one renewal may fail
		if (now - this.renewedAt > this.request.leaseTime().toNanos() / 3) {
			this.renewedAt = now;
			// a failure needs no handling: if the lease has ended the look finds no key
			this.calls.keepAlive(this.leaseId);
		}
		poll();
	}

	@Override
	protected boolean isTaken() {
		return this.own != null;
	}

	@Override
	protected CompletionStage<?> look() {
		OwnKey key = this.own;
		if (key == null) {
			throw new IllegalStateException("The place is not taken");
		}
		return this.calls.ifCreatedAt(key.name(), key.revision(), this.keys.lastBefore(key.revision()))
			.thenAccept((response) -> onLooked(key, response));
	}

	private void onLooked(OwnKey key, TxnResponse response) {
		if (!response.isSucceeded()) {
			fail(expired());
			return;
		}
		List<KeyValue> found = found(response);
		if (this.keys.isFree(found, key.revision())) {
			renewAndGrant(key);
			return;
		}
		stayBehindOthers();
		// from the revision after the one that was read, so that no release is missed
		this.watch.begin(found.get(0).getKey(), response.getHeader().getRevision() + 1);
		if (isOver()) {
			this.watch.end();
		}
	}

	/**
	 * The etcd lease has run since the place was taken, so it is renewed for the holder.
	 */
	private void renewAndGrant(OwnKey key) {
		long sentAt = System.nanoTime();
		this.calls.keepAlive(this.leaseId).whenComplete((length, failure) -> {
			if (failure != null) {
				onLookFailed(failure);
			}
			else if (length == 0) {
				fail(expired());
			}
			else {
				grant(key, new LeaseTerm(sentAt, granted(length)));
			}
		});
	}

	private void grant(OwnKey key, LeaseTerm term) {
		// permits are held together, so their order protects nothing
		OptionalLong token = (this.request.type() == LockType.SEMAPHORE) ? OptionalLong.empty()
				: OptionalLong.of(key.revision());
		grant(new EtcdLease(this.calls, this.request.key(), key.name(), this.leaseId, key.revision(), token, term));
	}

	/**
	 * End the etcd lease, and the key with it. There is none before etcd has answered:
	 * then the answer to that calls this.
	 */
	@Override
	protected void remove() {
		if (this.leaseId != 0) {
			this.calls.revokeInBackground(this.request.key(), this.leaseId, this.request.leaseTime());
		}
	}

	@Override
	protected void stopWatching() {
		this.watch.end();
	}

	private Duration granted(long ttlSeconds) {
		Duration length = Duration.ofSeconds(ttlSeconds);
		return (length.compareTo(this.request.leaseTime()) < 0) ? length : this.request.leaseTime();
	}

	private static List<KeyValue> found(TxnResponse response) {
		return response.getGetResponses().get(0).getKvs();
	}

	private static BackendException expired() {
		return new BackendException("the place in the queue has expired", true, null);
	}

	/**
	 * Round up: etcd counts leases in whole seconds.
	 */
	private static long wholeSeconds(Duration leaseTime) {
		return leaseTime.plusMillis(999).toSeconds();
	}

	/**
	 * The key that this place has in etcd.
	 *
	 * @param name the key
	 * @param revision the revision at which it was created
	 */
	private record OwnKey(ByteSequence name, long revision) {
	}

}
