package io.distributedlock.etcd;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.Failures;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import org.jspecify.annotations.Nullable;

/**
 * What one owner has been granted: a key, under an etcd lease that others use too.
 * <p>
 * Why: docs/decisions/038-one-etcd-lease-for-many-locks.md
 *
 * @param calls the commands
 * @param key the key of the lock
 * @param own the key in etcd
 * @param fencingToken the first token, none for a permit of a semaphore
 * @param term the first term
 */
record EtcdLease(EtcdCalls calls, String key, OwnKey own, OptionalLong fencingToken, LeaseTerm term) implements Lease {

	/**
	 * How many callers of this JVM can have a lease one after the other, each with a
	 * token of its own.
	 */
	private static final int TOKENS = 256;

	/**
	 * Return the first token of the owner of a key: that of the next key is higher than
	 * the last one of this.
	 * @param revision the revision at which the key was created
	 */
	static long tokenOf(long revision) {
		return Math.multiplyExact(revision, TOKENS);
	}

	/**
	 * Return the last token that a caller can have from the owner of a key.
	 */
	static long lastTokenOf(long revision) {
		return tokenOf(revision) + TOKENS - 1;
	}

	@Override
	public int fencingTokens() {
		return TOKENS;
	}

	@Override
	public Optional<String> ownerId() {
		return Optional.of(EtcdOwners.idOf(this.own.name(), this.own.revision()));
	}

	/**
	 * Renew the etcd lease, always for the length that it was granted with: etcd cannot
	 * change that. It is not enough that the lease is there, as somebody may have deleted
	 * the key.
	 */
	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		long sentAt = System.nanoTime();
		CompletableFuture<SharedLease> renewed = this.own.lease().renew();
		CompletableFuture<TxnResponse> owned = this.calls.ifCreatedAt(this.own.name(), this.own.revision(),
				Op.get(this.own.name(), GetOption.builder().withCountOnly(true).build()));
		return owned.<SharedLease, @Nullable LeaseTerm>thenCombine(renewed, (response, lease) -> {
			LeaseTerm renewal = lease.term(sentAt, leaseTime);
			return (response.isSucceeded() && this.own.keepFor(renewal)) ? renewal : null;
		}).exceptionally((failure) -> {
			if (this.own.isOver()) {
				return null;
			}
			throw EtcdErrors.translate(failure);
		});
	}

	@Override
	public CompletionStage<Boolean> release() {
		return Failures.translated(this.own.delete(), EtcdErrors::translate);
	}

	@Override
	public void onLost(LossSignal signal) {
		this.own.onLost(signal);
	}

	@Override
	public String toString() {
		return "EtcdLease[key=%s, token=%s]".formatted(this.key, tokenOf(this.own.revision()));
	}

}
