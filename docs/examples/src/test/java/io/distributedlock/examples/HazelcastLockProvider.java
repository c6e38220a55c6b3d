package io.distributedlock.examples;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.map.IMap;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.CommandLease;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.OwnerNames;
import io.distributedlock.spi.support.UnknownOwners;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases on Hazelcast, through a member or a client: a lock is an entry of a map,
 * with the owner as its value. Thread-safe.
 * <p>
 * Best effort: in a split network each part of the cluster grants the same key, and a
 * member that fails may take with it what no backup has yet. The map must not evict
 * entries.
 */
public final class HazelcastLockProvider implements LockProvider {

	private final IMap<String, String> map;

	private final OwnerNames owners = new OwnerNames();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	public HazelcastLockProvider(HazelcastInstance hazelcast) {
		this.map = hazelcast.getMap("distributed-locks");
	}

	@Override
	public String name() {
		return "hazelcast";
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		String key = request.key();
		String owner = this.owners.next();
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		return change(key, null, owner, request.leaseTime()).handle((granted, failure) -> {
			if (failure != null) {
				// the entry may be there, although its answer is not
				this.unknownOwners.remove(key, request.leaseTime(), () -> release(key, owner));
				throw translate(failure);
			}
			return granted ? lease(key, owner, term) : null;
		});
	}

	private Lease lease(String key, String owner, LeaseTerm term) {
		return new CommandLease(key, term, CommandLease.renewal((leaseTime) -> change(key, owner, owner, leaseTime)),
				() -> release(key, owner));
	}

	private CompletionStage<Boolean> release(String key, String owner) {
		return change(key, owner, null, Duration.ZERO);
	}

	@Override
	public void close() {
		this.unknownOwners.close();
	}

	private CompletionStage<Boolean> change(String key, @Nullable String from, @Nullable String to,
			Duration leaseTime) {
		return CompletableFuture.completedFuture(new Change(from, to, leaseTime.toSeconds() + 2))
			.thenCompose((change) -> this.map.submitToKey(key, change))
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(translate(failure)));
	}

	private static BackendException translate(Throwable wrapped) {
		Throwable failure = Failures.unwrap(wrapped);
		if (failure instanceof BackendException translated) {
			return translated;
		}
		boolean forGood = failure instanceof HazelcastInstanceNotActiveException
				|| failure instanceof HazelcastSerializationException || failure instanceof SecurityException;
		return new BackendException("Hazelcast has not answered: " + failure, !forGood, failure);
	}

	/**
	 * Changes the owner of a key if it is the expected one, on the member that has the
	 * key. The map counts in whole seconds and may end an entry up to one second early,
	 * so an entry gets more time than its lease.
	 */
	private static final class Change implements EntryProcessor<String, String, Boolean> {

		private static final long serialVersionUID = 1L;

		private final @Nullable String from;

		private final @Nullable String to;

		private final long seconds;

		private transient boolean done;

		private Change(@Nullable String from, @Nullable String to, long seconds) {
			this.from = from;
			this.to = to;
			this.seconds = seconds;
		}

		@Override
		public Boolean process(Map.Entry<String, String> entry) {
			String present = entry.getValue();
			// Hazelcast may run it again if the member fails before it has answered
			this.done = Objects.equals(present, this.from) || (present != null && present.equals(this.to));
			return this.done && write(entry);
		}

		/**
		 * A backup may still have an owner that has expired, so it does not compare.
		 */
		@Override
		public @Nullable EntryProcessor<String, String, Boolean> getBackupProcessor() {
			return this.done ? this::write : null;
		}

		private boolean write(Map.Entry<String, String> entry) {
			((ExtendedMapEntry<String, @Nullable String>) entry).setValue(this.to, this.seconds, TimeUnit.SECONDS);
			return true;
		}

	}

}
