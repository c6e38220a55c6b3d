package io.distributedlock.etcd;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.ReaderLease;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import org.jspecify.annotations.Nullable;

/**
 * A key that one owner has created, and the etcd lease with which it ends.
 *
 * @param calls the commands
 * @param key the key of the lock
 * @param ownKey the key in etcd
 * @param leaseId the etcd lease
 * @param revision the revision at which the key was created
 * @param fencingToken that revision, none for a permit of a semaphore
 * @param term the first term
 */
record EtcdLease(EtcdCalls calls, String key, ByteSequence ownKey, long leaseId, long revision,
		OptionalLong fencingToken, LeaseTerm term) implements Lease {

	/**
	 * The value of a writer's key after a downgrade: its owner only reads now.
	 */
	static final ByteSequence READS = EtcdCalls.bytes("r");

	/**
	 * Renew the etcd lease, always for the length that it was granted with: etcd cannot
	 * change that. It is not enough that the lease is there, as somebody may have deleted
	 * the key.
	 */
	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return renew(leaseTime, Op.get(this.ownKey, GetOption.builder().withCountOnly(true).build()));
	}

	private CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime, Op ifOwned) {
		long sentAt = System.nanoTime();
		CompletableFuture<Long> kept = this.calls.keepAlive(this.leaseId);
		CompletableFuture<TxnResponse> owned = this.calls.ifCreatedAt(this.ownKey, this.revision, ifOwned);
		return kept.thenCombine(owned, (seconds, response) -> response.isSucceeded() ? seconds : 0L)
			.handle((seconds, failure) -> {
				if (failure != null) {
					throw EtcdErrors.translate(failure);
				}
				Duration granted = Duration.ofSeconds(seconds);
				return granted.isZero() ? null
						: new LeaseTerm(sentAt, (granted.compareTo(leaseTime) < 0) ? granted : leaseTime);
			});
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.calls.ifCreatedAt(this.ownKey, this.revision, Op.delete(this.ownKey, DeleteOption.DEFAULT))
			.thenApply((response) -> {
				this.calls.revokeInBackground(this.key, this.leaseId, this.term.granted());
				return response.isSucceeded();
			})
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(EtcdErrors.translate(failure)));
	}

	/**
	 * Keep the key, and mark it by its value. A new key would come after those of owners
	 * who wait already.
	 */
	@Override
	public Optional<Lease> asReader() {
		PutOption sameLease = PutOption.builder().withLeaseId(this.leaseId).build();
		return Optional
			.of(new ReaderLease(this, (leaseTime) -> renew(leaseTime, Op.put(this.ownKey, READS, sameLease))));
	}

	@Override
	public String toString() {
		return "EtcdLease[key=%s, token=%d]".formatted(this.key, this.revision);
	}

}
