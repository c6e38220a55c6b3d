package io.distributedlock.jdbc.internal.table;

import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.LockType;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.CommandLease;

/**
 * The leases of owners in the tables: what renews and releases them, for each lock type.
 *
 * @param calls calls the database
 * @param table the table of locks
 * @param shares the owners that share a key
 * @param releases is told the message of each release
 */
record TableLeases(JdbcCalls calls, LockTable table, TableShares shares, Consumer<String> releases) {

	/**
	 * Return the lease of an owner, as it is if the request is granted.
	 */
	CommandLease candidate(LeaseRequest request, String owner) {
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		return switch (request.type()) {
			case READ, SEMAPHORE -> share(request, owner, term);
			case EXCLUSIVE, FAIR, WRITE -> alone(request, owner, term);
		};
	}

	/**
	 * Return the lease of an owner who does not share the key, as it is if the request is
	 * granted.
	 */
	CommandLease alone(LeaseRequest request, String owner, LeaseTerm term) {
		String key = request.key();
		return new CommandLease(key, term,
				CommandLease
					.renewal((lease) -> this.calls.upkeep((session) -> this.table.renew(session, key, owner, lease))),
				() -> this.calls.upkeep((session) -> this.table.release(session, key, owner)).thenApply(this::released))
			.withOwnerId(owner);
	}

	private CommandLease share(LeaseRequest request, String owner, LeaseTerm term) {
		String row = rowOf(request);
		return new CommandLease(request.key(), term,
				CommandLease.renewal((lease) -> onRow(row, (session) -> this.shares.renew(session, row, owner, lease))),
				() -> onRow(row, (session) -> releaseShare(session, request, owner)))
			.withOwnerId(owner);
	}

	private boolean releaseShare(Session session, LeaseRequest request, String owner) throws SQLException {
		boolean had = this.shares.release(session, rowOf(request), owner);
		this.table.announceRelease(session, request.key());
		return had;
	}

	/**
	 * Remove an owner that may have been granted its request.
	 * @return completes with whether it was
	 */
	CompletionStage<Boolean> remove(LeaseRequest request, String owner) {
		return switch (request.type()) {
			case READ, SEMAPHORE -> this.calls.removal((session) -> this.shares.onRow(session, rowOf(request),
					(locked) -> releaseShare(locked, request, owner)));
			case EXCLUSIVE, FAIR, WRITE ->
				this.calls.removal((session) -> this.table.release(session, request.key(), owner))
					.thenApply(this::released);
		};
	}

	/**
	 * Return a lease that was granted.
	 * @param token its first token
	 */
	static Lease granted(CommandLease lease, LeaseRequest request, long token) {
		return switch (request.type()) {
			case EXCLUSIVE, FAIR, WRITE -> lease.withFencingTokens(token, request.tokens());
			case READ -> lease.withFencingToken(token);
			// permits are held together, so their order protects nothing
			case SEMAPHORE -> lease;
		};
	}

	/**
	 * Tell the waiters of this JVM about a release.
	 * @param message the message of the release, empty if nothing was released
	 * @return whether something was released
	 */
	boolean released(Optional<String> message) {
		message.ifPresent(this.releases);
		return message.isPresent();
	}

	static String rowOf(LeaseRequest request) {
		return (request.type() == LockType.SEMAPHORE) ? TableShares.permitsOf(request.key()) : request.key();
	}

	private <T> CompletableFuture<T> onRow(String row, JdbcCalls.Work<T> work) {
		return this.calls.upkeep((session) -> this.shares.onRow(session, row, work));
	}

}
