package io.distributedlock.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.support.UnknownOwners;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Txn;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.WatchOption;

/**
 * The commands that locks use. Each fails after the command time-out at the latest.
 */
final class EtcdCalls implements AutoCloseable {

	private final Client client;

	private final Duration commandTimeout;

	private final UnknownOwners unknownOwners = new UnknownOwners();

	EtcdCalls(Client client, Duration commandTimeout) {
		this.client = client;
		this.commandTimeout = commandTimeout;
	}

	CompletableFuture<LeaseGrantResponse> grant(long seconds) {
		return bounded(this.client.getLeaseClient().grant(seconds));
	}

	/**
	 * Renew an etcd lease.
	 * @return completes with its length in seconds, zero if it has ended
	 */
	CompletableFuture<Long> keepAlive(long leaseId) {
		CompletableFuture<Long> length = bounded(this.client.getLeaseClient().keepAliveOnce(leaseId))
			.thenApply((response) -> Math.max(response.getTTL(), 0));
		return length.exceptionallyCompose((failure) -> EtcdErrors.isNotFound(failure)
				? CompletableFuture.completedFuture(0L) : CompletableFuture.failedFuture(failure));
	}

	/**
	 * End an etcd lease, and its keys with it.
	 * @return completes with whether it was still there
	 */
	CompletableFuture<Boolean> revoke(long leaseId) {
		return bounded(this.client.getLeaseClient().revoke(leaseId)).thenApply((response) -> true)
			.exceptionallyCompose((failure) -> EtcdErrors.isNotFound(failure) ? CompletableFuture.completedFuture(false)
					: CompletableFuture.failedFuture(failure));
	}

	/**
	 * End an etcd lease in the background, until etcd has said that it is gone.
	 */
	void revokeInBackground(String key, long leaseId, Duration leaseTime) {
		this.unknownOwners.remove(key, leaseTime, () -> revoke(leaseId));
	}

	/**
	 * Execute operations only if a key is still the one that was created at a revision.
	 * @param revision the revision; zero if there must be no such key
	 */
	CompletableFuture<TxnResponse> ifCreatedAt(ByteSequence key, long revision, Op... operations) {
		Txn transaction = this.client.getKVClient()
			.txn()
			.If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(revision)))
			.Then(operations);
		return bounded(transaction.commit());
	}

	/**
	 * Watch a key until it is deleted.
	 * @param changes whether a change of its value is an event too
	 * @param onEvent called at each event
	 * @param onEnded called when etcd refuses the watch or ends it, possibly before this
	 * method returns
	 */
	Watch.Watcher watch(ByteSequence key, long fromRevision, boolean changes, Runnable onEvent, Runnable onEnded) {
		WatchOption option = WatchOption.builder().withRevision(fromRevision).withNoPut(!changes).build();
		return this.client.getWatchClient()
			.watch(key, option, Watch.listener((response) -> onEvent.run(), (failure) -> onEnded.run()));
	}

	@Override
	public void close() {
		this.unknownOwners.close();
	}

	static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	private <T> CompletableFuture<T> bounded(CompletableFuture<T> answer) {
		CompletableFuture<T> bounded = answer.copy().orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
		return bounded.whenComplete((value, failure) -> answer.cancel(false));
	}

}
