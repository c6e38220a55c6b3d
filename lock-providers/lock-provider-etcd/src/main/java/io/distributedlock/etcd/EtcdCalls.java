package io.distributedlock.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.UnknownOwners;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.lease.LeaseTimeToLiveResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchResponse;

/**
 * The commands that locks use. Each fails after the command time-out at the latest.
 */
final class EtcdCalls implements AutoCloseable {

	/**
	 * How often a renewal is sent if a leader is elected each time.
	 */
	private static final int RENEWALS = 3;

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
	 * Renew an etcd lease. The leader answers that alone, even one that was paused while
	 * another one was elected, and then the answer is worth nothing. So a read follows,
	 * which a majority answers: if that is in the same term, nobody had been elected when
	 * the lease was renewed. The term in the answer is from before the renewal.
	 * @param readable a key that the user may read, whether it is there or not
	 * @return completes with its length in seconds, zero if it has ended
	 */
	CompletionStage<Long> keepAlive(long leaseId, ByteSequence readable) {
		return Failures.orElse(bounded(keepAlive(leaseId, readable, RENEWALS)), EtcdErrors::isNotFound,
				() -> CompletableFuture.completedFuture(0L));
	}

	private CompletableFuture<Long> keepAlive(long leaseId, ByteSequence readable, int tries) {
		return bounded(this.client.getLeaseClient().keepAliveOnce(leaseId)).thenCompose((renewed) -> {
			if (renewed.getTTL() <= 0) {
				return CompletableFuture.completedFuture(0L);
			}
			GetOption count = GetOption.builder().withCountOnly(true).build();
			return bounded(this.client.getKVClient().get(readable, count)).thenCompose((read) -> {
				if (read.getHeader().getRaftTerm() == renewed.getHeader().getRaftTerm()) {
					return CompletableFuture.completedFuture(renewed.getTTL());
				}
				return (tries > 1) ? keepAlive(leaseId, readable, tries - 1)
						: CompletableFuture.failedFuture(new BackendException(
								"etcd has elected leaders while a lease was renewed: try again", true, null));
			});
		});
	}

	/**
	 * List the keys that end with an etcd lease.
	 */
	CompletableFuture<LeaseTimeToLiveResponse> keysOf(long leaseId) {
		LeaseOption option = LeaseOption.builder().withAttachedKeys().build();
		return bounded(this.client.getLeaseClient().timeToLive(leaseId, option));
	}

	/**
	 * Read all keys that start with a prefix.
	 */
	CompletableFuture<GetResponse> read(ByteSequence prefix) {
		return bounded(this.client.getKVClient().get(prefix, GetOption.builder().isPrefix(true).build()));
	}

	/**
	 * Read at one revision, as a majority of the members has it.
	 */
	CompletableFuture<TxnResponse> read(Op... readings) {
		return bounded(this.client.getKVClient().txn().Then(readings).commit());
	}

	/**
	 * Read at most one key that starts with a prefix. The read is linearizable, so a
	 * majority of the members answers for it.
	 */
	CompletableFuture<GetResponse> ping(ByteSequence prefix) {
		return bounded(this.client.getKVClient()
			.get(prefix, GetOption.builder().isPrefix(true).withKeysOnly(true).withLimit(1).build()));
	}

	/**
	 * Delete a key.
	 * @return completes with whether it was there
	 */
	CompletableFuture<Boolean> delete(ByteSequence key) {
		return bounded(this.client.getKVClient().delete(key)).thenApply((response) -> response.getDeleted() > 0);
	}

	/**
	 * Delete a key, unless it was created after a revision.
	 * @return completes with whether there is no such key now
	 */
	CompletableFuture<Boolean> deleteIfCreatedUpTo(ByteSequence key, long revision) {
		return transaction(new Cmp(key, Cmp.Op.LESS, CmpTarget.createRevision(revision + 1)),
				Op.delete(key, DeleteOption.DEFAULT))
			.thenApply(TxnResponse::isSucceeded);
	}

	/**
	 * Delete the key that an owner has created.
	 * @return completes with whether it was there
	 */
	CompletableFuture<Boolean> deleteIfCreatedAt(ByteSequence key, long revision) {
		return ifCreatedAt(key, revision, Op.delete(key, DeleteOption.DEFAULT)).thenApply(TxnResponse::isSucceeded);
	}

	/**
	 * Delete the key of an owner in the background, until etcd has said that it is gone.
	 * @param deletion deletes it; completes with whether it was there
	 */
	void deleteInBackground(String lockKey, Duration leaseTime, Supplier<CompletionStage<Boolean>> deletion) {
		this.unknownOwners.remove(lockKey, leaseTime, deletion);
	}

	/**
	 * Execute operations only if a key is still the one that was created at a revision.
	 * @param revision the revision; zero if there must be no such key
	 */
	CompletableFuture<TxnResponse> ifCreatedAt(ByteSequence key, long revision, Op... operations) {
		return transaction(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(revision)), operations);
	}

	private CompletableFuture<TxnResponse> transaction(Cmp condition, Op... operations) {
		return bounded(this.client.getKVClient().txn().If(condition).Then(operations).commit());
	}

	/**
	 * Watch all keys that start with a prefix, from now on: etcd serves a watch from an
	 * earlier revision only ten times a second.
	 * @param onResponse called when the watch has begun, and at each change
	 * @param onEnded called when etcd refuses the watch or ends it, possibly before this
	 * method returns
	 */
	Watch.Watcher watch(ByteSequence prefix, Consumer<WatchResponse> onResponse, Runnable onEnded) {
		WatchOption option = WatchOption.builder()
			.isPrefix(true)
			.withCreateNotify(true)
			// a member that is cut off from the others would stay silent
			.withRequireLeader(true)
			.build();
		return this.client.getWatchClient()
			.watch(prefix, option, Watch.listener(onResponse, (failure) -> onEnded.run(), onEnded));
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
