package io.distributedlock.etcd;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.SharedWatch;
import io.distributedlock.spi.support.WatchingPlace;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import org.jspecify.annotations.Nullable;

/**
 * One owner's place among the keys of a lock. To take it costs one round trip, for the
 * key. If others are in front, the watched queue says when they have gone.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md,
 * docs/decisions/038-one-etcd-lease-for-many-locks.md
 */
final class EtcdPlace extends WatchingPlace implements WatchedQueue.QueuedKey {

	private final Session session;

	private final LeaseRequest request;

	private final boolean mayWait;

	private final LockKeys keys;

	private volatile @Nullable OwnKey own;

	EtcdPlace(Session session, String prefix, LeaseRequest request, boolean mayWait) {
		super(EtcdErrors::translate);
		this.session = session;
		this.request = request;
		this.mayWait = mayWait;
		this.keys = LockKeys.of(prefix, request);
	}

	/**
	 * Take the place: create a key under the etcd lease of this JVM.
	 */
	EtcdPlace take() {
		take(true);
		return this;
	}

	private void take(boolean again) {
		this.session.leases()
			.of(this.request.leaseTime())
			.whenComplete((lease, failure) -> goOn(failure, () -> createKeyIfWorthwhile(lease, again)));
	}

	/**
	 * Take the next step after an answer, if the caller still waits.
	 */
	private void goOn(@Nullable Throwable failure, Runnable next) {
		if (failure != null) {
			fail(failure);
		}
		else if (this.request.remainingNanos() <= 0) {
			fail(new BackendException("etcd did not answer in time", true, null));
		}
		else if (!isOver()) {
			next.run();
		}
	}

	/**
	 * Create a key, unless the call does not wait and others have the lock. That is known
	 * only after a look, which is worth its time if the lock was refused lately.
	 */
	private void createKeyIfWorthwhile(SharedLease lease, boolean again) {
		if (this.mayWait || !this.session.refused().contains(this.keys.prefix())) {
			createKey(lease, again);
			return;
		}
		this.session.calls().read(this.keys.last()).whenComplete((response, failure) -> {
			if (failure == null && !this.keys.isFree(found(response), Long.MAX_VALUE)) {
				refuseAndRemember();
			}
			else {
				goOn(failure, () -> createKey(lease, again));
			}
		});
	}

	private void refuseAndRemember() {
		this.session.refused().add(this.keys.prefix());
		refuse();
	}

	private void createKey(SharedLease lease, boolean again) {
		long owner = lease.takeNumber();
		ByteSequence name = this.keys.own(lease.nameOf(owner));
		OwnKey key = new OwnKey(this.session.calls(), this.request.key(), name, lease, owner);
		Op put = Op.put(name, this.keys.value(), PutOption.builder().withLeaseId(lease.id()).build());
		long sentAt = System.nanoTime();
		CompletionStage<SharedLease> renewed = lease.renewAhead();
		this.session.calls()
			.ifCreatedAt(name, 0, put, this.keys.last())
			.thenCombine(renewed, (response, done) -> response)
			.whenComplete((response, failure) -> {
				if (failure != null && EtcdErrors.isNotFound(failure)) {
					// somebody has revoked the lease, or etcd was restored
					lease.lose("etcd has ended the lease that keeps it");
				}
				if (key.isOver() && again) {
					take(false);
				}
				else if (failure != null) {
					forget(key, failure);
				}
				else if (!response.isSucceeded()) {
					// the client sent it again after a lost answer, and the answer to
					// that does not say when the key was created
					forget(key,
							new BackendException("the answer of etcd to the creation of a key was lost", true, null));
				}
				else {
					key.created(response.getHeader().getRevision());
					onKeyCreated(key, found(response), sentAt);
				}
			});
	}

	/**
	 * Give up, as etcd may create the key or not, sooner or later.
	 */
	private void forget(OwnKey key, Throwable failure) {
		this.session.leases().replace(key.lease());
		key.remove();
		fail(failure);
	}

	private void onKeyCreated(OwnKey key, List<KeyValue> last, long sentAt) {
		this.own = key;
		LeaseTerm term = key.lease().term(sentAt, this.request.leaseTime());
		boolean free = this.keys.isFree(last, key.revision());
		boolean kept = key.keepFor(free ? term : waitingTerm(key));
		if (isOver()) {
			remove();
		}
		else if (!kept) {
			fail(expired());
		}
		else if (free) {
			grant(key, term);
		}
		else if (this.mayWait) {
			this.session.refused().add(this.keys.prefix());
			key.onLost((reason) -> gone());
			stayBehindOthers();
			this.session.queues().add(this.keys.all(), this).tell(this);
			if (isOver()) {
				stopWatching();
			}
		}
		else {
			// not before: the key would stand in front of whoever asks after the answer
			key.delete().whenComplete((deleted, failure) -> refuseAndRemember());
		}
	}

	/**
	 * Look, and renew the etcd lease that keeps the place, whether a look is under way or
	 * not.
	 */
	@Override
	public void lookAgain() {
		OwnKey key = this.own;
		if (key == null || isOver()) {
			return;
		}
		key.lease().renewInTime();
		key.keepFor(waitingTerm(key));
		poll();
	}

	/**
	 * A place stays as long as its etcd lease, which is a second at least: a place about
	 * which the engine asks a little late must not end.
	 */
	private static LeaseTerm waitingTerm(OwnKey key) {
		return key.lease().term(System.nanoTime(), key.lease().length());
	}

	@Override
	protected boolean isTaken() {
		return this.own != null;
	}

	@Override
	protected CompletionStage<?> look() {
		OwnKey key = taken();
		return this.session.calls()
			.ifCreatedAt(key.name(), key.revision(), this.keys.lastBefore(key.revision()))
			.thenAccept((response) -> onLooked(key, response));
	}

	private void onLooked(OwnKey key, TxnResponse response) {
		if (!response.isSucceeded()) {
			fail(expired());
		}
		else if (this.keys.isFree(found(response), key.revision())) {
			first();
		}
		else {
			stayBehindOthers();
		}
	}

	@Override
	public long revision() {
		return taken().revision();
	}

	@Override
	public boolean isFirst(QueueKeys queue) {
		return this.keys.isFree(queue, revision());
	}

	/**
	 * The etcd lease has run for a while, so it is renewed for the holder, unless some
	 * other owner has just done that.
	 */
	@Override
	public void first() {
		OwnKey key = taken();
		key.lease().renew().whenComplete((done, failure) -> {
			if (failure != null) {
				onLookFailed(failure);
				return;
			}
			LeaseTerm term = key.lease().term(System.nanoTime(), this.request.leaseTime());
			if (!isOver() && key.keepFor(term)) {
				grant(key, term);
			}
		});
	}

	@Override
	public void gone() {
		giveUp(expired());
	}

	@Override
	public void missed() {
		onSignal();
	}

	private void grant(OwnKey key, LeaseTerm term) {
		// permits are held together, so their order protects nothing
		OptionalLong token = (this.request.type() == LockType.SEMAPHORE) ? OptionalLong.empty()
				: OptionalLong.of(EtcdLease.tokenOf(key.revision()));
		grant(new EtcdLease(this.session.calls(), this.request.key(), key, token, term));
	}

	/**
	 * Delete the key. There is none before etcd has answered: then the answer to that
	 * calls this.
	 */
	@Override
	protected void remove() {
		OwnKey key = this.own;
		if (key != null) {
			key.remove();
		}
	}

	@Override
	protected void stopWatching() {
		this.session.queues().remove(this.keys.all(), this);
	}

	private OwnKey taken() {
		return Objects.requireNonNull(this.own);
	}

	private static List<KeyValue> found(TxnResponse response) {
		return response.getGetResponses().get(0).getKvs();
	}

	private static BackendException expired() {
		return new BackendException("the place in the queue has expired", true, null);
	}

	/**
	 * What all places of one provider share.
	 *
	 * @param calls the commands
	 * @param leases the etcd leases
	 * @param queues the queues that are watched
	 * @param refused the locks that were refused lately
	 */
	record Session(EtcdCalls calls, SharedLeases leases,
			SharedWatch.All<ByteSequence, WatchedQueue.QueuedKey, WatchedQueue> queues, RefusedKeys refused) {
	}

}
