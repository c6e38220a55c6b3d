package io.distributedlock.jdbc.internal.table;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import io.distributedlock.LockType;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.signal.PostgresReleases;
import io.distributedlock.jdbc.internal.signal.ReleaseAnnouncements;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.CommandLease;
import io.distributedlock.spi.support.OwnerNames;
import io.distributedlock.spi.support.UnknownOwners;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lines of this JVM, one for each key for which calls wait, and what they ask the
 * database.
 */
final class TableLines {

	private static final Logger logger = LoggerFactory.getLogger(TableLines.class);

	private final ConcurrentHashMap<String, TableLine> byKey = new ConcurrentHashMap<>();

	private final JdbcCalls calls;

	private final LockTable table;

	private final TableQueue queue;

	private final TableLeases leases;

	private final @Nullable PostgresReleases releases;

	private final OwnerNames owners;

	private final UnknownOwners unknownOwners;

	TableLines(JdbcCalls calls, LockTable table, TableQueue queue, TableLeases leases,
			@Nullable PostgresReleases releases, OwnerNames owners, UnknownOwners unknownOwners) {
		this.calls = calls;
		this.table = table;
		this.queue = queue;
		this.leases = leases;
		this.releases = releases;
		this.owners = owners;
		this.unknownOwners = unknownOwners;
	}

	/**
	 * Add a call to the line of its key.
	 */
	TablePlace add(LeaseRequest request, boolean mayWait) {
		AtomicReference<@Nullable TablePlace> added = new AtomicReference<>();
		TableLine line = this.byKey.compute(request.key(), (key, current) -> {
			TableLine joined = (current != null) ? current : new TableLine(key, this);
			added.set(joined.add(request, mayWait));
			return joined;
		});
		line.joined();
		return Objects.requireNonNull(added.get());
	}

	/**
	 * Take a key by what calls of this JVM have left that have gone.
	 * @return completes with {@code null} if others are in front; {@code null} if nothing
	 * was left that matters to an attempt
	 */
	@Nullable CompletionStage<@Nullable Lease> takeLeftBehind(LeaseRequest request) {
		TableLine line = this.byKey.get(request.key());
		boolean left = line != null && (request.type() == LockType.FAIR ? line.isLeftBehind() : line.isEnding());
		return left ? add(request, false).attempt() : null;
	}

	/**
	 * Tell the line of a key that this JVM has released it, without waiting for the
	 * database to do so.
	 * @param message the message of the release
	 */
	void released(String message) {
		if (this.releases != null) {
			this.releases.tell(message);
			return;
		}
		TableLine line = this.byKey.get(message);
		if (line != null) {
			line.released();
		}
	}

	void forgetIfIdle(String key) {
		this.byKey.computeIfPresent(key, (ignored, line) -> line.isIdle() ? null : line);
	}

	/**
	 * Leave all queues.
	 */
	void close() {
		this.byKey.values().forEach(TableLine::close);
	}

	/**
	 * Return whether messages of releases arrive.
	 */
	boolean areReleasesTold() {
		return this.releases != null && this.releases.isListening();
	}

	ReleaseSignal.Subscription listen(String key, Runnable onRelease) {
		return (this.releases != null) ? this.releases.listen(key, onRelease) : () -> {
		};
	}

	ReleaseSignal.Subscription listen(String key, QueueRow row, Runnable whenFirst) {
		return (this.releases != null)
				? this.releases.listenToo(ReleaseAnnouncements.messageTo(key, row.name()), whenFirst) : () -> {
				};
	}

	QueueRow row(LeaseRequest request) {
		String key = request.key();
		String owner = this.owners.next();
		return new QueueRow(owner,
				() -> this.unknownOwners.remove(key, request.leaseTime(),
						() -> this.calls.removal((session) -> this.queue.leave(session, key, owner))
							.thenApply(this.leases::released)));
	}

	/**
	 * Ask.
	 * @param nobodyWaits whether all callers have gone, so that nothing is sent
	 */
	CompletableFuture<Long> ask(QueueQuestion question, BooleanSupplier nobodyWaits) {
		return this.calls
			.<Long>attempt((giveUpAt) -> nobodyWaits.getAsBoolean() ? 0L : this.calls.inSession((session) -> {
				question.sent().set(true);
				long token = this.queue.ask(session, question);
				return (token != 0 && question.front().isOver()) ? undo(session, question) : token;
			}, giveUpAt), question.giveUpAtNanos(), question);
	}

	/**
	 * Undo a grant at once: after the provider was closed nothing more can be sent.
	 */
	private long undo(Session session, QueueQuestion question) throws SQLException {
		this.leases.released(this.queue.leave(session, question.request().key(), question.front().name()));
		return 0;
	}

	/**
	 * Return the lease of a question that was granted. Its row leaves the queue while the
	 * caller works: before, it would cost one more wait for the disk.
	 */
	Lease grant(QueueQuestion question, long token) {
		String key = question.request().key();
		QueueRow row = question.front();
		if (row.isToLeaveQueue()) {
			this.calls.removal((session) -> {
				this.queue.removePlace(session, key, row);
				return true;
			}).whenComplete((removed, failure) -> {
				if (failure != null) {
					logger.debug("The owner of lock '{}' leaves its queue with the release", key, failure);
				}
			});
		}
		LeaseTerm term = new LeaseTerm(question.beganNanos(), question.request().leaseTime());
		CommandLease lease = this.leases.alone(question.request(), row.name(), term)
			.withEnding(() -> release(key, row).whenComplete((had, failure) -> row.ended(null)));
		return TableLeases.granted(lease, question.request(), token);
	}

	private CompletableFuture<Boolean> release(String key, QueueRow row) {
		return this.calls.upkeep((session) -> {
			this.queue.removePlace(session, key, row);
			return this.table.release(session, key, row.name());
		}).thenApply(this.leases::released);
	}

	/**
	 * Remove rows from the queue of a key.
	 */
	CompletableFuture<?> remove(String key, List<QueueRow> rows) {
		List<QueueRow> joined = rows.stream().filter(QueueRow::isJoined).toList();
		return joined.isEmpty() ? CompletableFuture.completedFuture(true) : this.calls.removal((session) -> {
			this.queue.remove(session, key, joined);
			return true;
		});
	}

}
