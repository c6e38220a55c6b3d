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
 * The commands that locks are made of, each given up after the command time-out.
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
	 * Let a lease run anew.
	 * @return completes with its length in seconds, zero if it has ended
	 */
	CompletableFuture<Long> keepAlive(long leaseId) {
		CompletableFuture<Long> length = bounded(this.client.getLeaseClient().keepAliveOnce(leaseId))
			.thenApply((response) -> Math.max(response.getTTL(), 0));
		return length.exceptionallyCompose((failure) -> EtcdErrors.isNotFound(failure)
				? CompletableFuture.completedFuture(0L) : CompletableFuture.failedFuture(failure));
	}

	/**
	 * End a lease, and with it the keys that it has.
	 * @return completes with whether it was still there
	 */
	CompletableFuture<Boolean> revoke(long leaseId) {
		return bounded(this.client.getLeaseClient().revoke(leaseId)).thenApply((response) -> true)
			.exceptionallyCompose((failure) -> EtcdErrors.isNotFound(failure) ? CompletableFuture.completedFuture(false)
					: CompletableFuture.failedFuture(failure));
	}

	/**
	 * End a lease in the background, until etcd has said that it is gone.
	 */
	void abandon(String key, long leaseId, Duration leaseTime) {
		this.unknownOwners.remove(key, leaseTime, () -> revoke(leaseId));
	}

	/**
	 * Do something only if a key is the one that was created at a revision; at zero: if
	 * there is no such key.
	 */
	CompletableFuture<TxnResponse> ifCreatedAt(ByteSequence key, long revision, Op... operations) {
		Txn transaction = this.client.getKVClient()
			.txn()
			.If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(revision)))
			.Then(operations);
		return bounded(transaction.commit());
	}

	/**
	 * Be told of the deletion of a key.
	 * @param changes whether to be told also when its value has changed
	 * @param onEvent called when that has happened
	 * @param onEnded called when etcd refuses to watch on, which may be at once
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
