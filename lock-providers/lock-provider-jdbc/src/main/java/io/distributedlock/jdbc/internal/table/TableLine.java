package io.distributedlock.jdbc.internal.table;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.Mutex;
import org.jspecify.annotations.Nullable;

/**
 * The calls of this JVM that wait for one key, and its rows in the queue of that key. A
 * row is not that of a call: the oldest row serves the call that came first. So a call
 * that leaves hands its row to those behind it, and to the next call that comes soon: its
 * row never stands in front of another call of this JVM, and many calls with little
 * patience cost few statements. One question at a time is under way, for all calls.
 * <p>
 * Where messages arrive, they name the row that is first. Otherwise the line asks: after
 * each release by this JVM, and at intervals that grow with the wait of its first call.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/044-first-place-of-a-database-is-told.md
 */
final class TableLine {

	/**
	 * The first interval: it adds to the time for which a key is free.
	 */
	private static final long FIRST_INTERVAL_NANOS = 1_000_000;

	/**
	 * An interval is this fraction of the wait so far, so that a call adds as little to
	 * its wait.
	 */
	private static final int INTERVALS_PER_WAIT = 8;

	/**
	 * How long a row that no call needs waits for the next call. It keeps the key from
	 * other JVMs for so long. Without this time two JVMs whose calls have no patience
	 * could refuse each other the key for ever, each because of the row that the other
	 * one is about to remove.
	 */
	private static final long LINGER_NANOS = 50_000_000;

	/**
	 * By how much the message of a release may come later than the removal of the row
	 * that it names. A server rarely stops a statement for longer.
	 */
	private static final Duration NAMED_LATE = Duration.ofSeconds(1);

	private static final CompletionStage<Boolean> DONE = CompletableFuture.completedFuture(true);

	private final String key;

	private final TableLines lines;

	private final Mutex mutex = new Mutex();

	private final Set<TablePlace> waiting = new LinkedHashSet<>();

	/**
	 * Those of the waiting calls whose row the database has not confirmed.
	 */
	private final Set<TablePlace> unconfirmed = new LinkedHashSet<>();

	private final QueueRows rows;

	/**
	 * Whether a question or a removal is under way.
	 */
	private boolean busy;

	/**
	 * Whether something has happened since then that causes one more question.
	 */
	private boolean signalled;

	/**
	 * Whether to ask whether the front has the key now.
	 */
	private boolean frontDue;

	private long emptySinceNanos;

	private long lingerNanos = LINGER_NANOS;

	private long giveUpAtNanos;

	/**
	 * Calls off the next question, if one is planned.
	 */
	private @Nullable Runnable timer;

	/**
	 * Whether rows that no call needs linger, and are removed after that.
	 */
	private boolean removalPlanned;

	/**
	 * Whether they have lingered, and are removed when what is under way has ended.
	 */
	private boolean removalDue;

	TableLine(String key, TableLines lines) {
		this.key = key;
		this.lines = lines;
		this.rows = new QueueRows((row) -> lines.listen(key, row, () -> isFirst(row)));
	}

	/**
	 * Add a call at the end.
	 */
	TablePlace add(LeaseRequest request, boolean mayWait) {
		TablePlace place = new TablePlace(this, request, mayWait);
		this.mutex.run(() -> {
			this.giveUpAtNanos = this.waiting.isEmpty() ? request.giveUpAtNanos()
					: later(this.giveUpAtNanos, request.giveUpAtNanos());
			this.lingerNanos = Math.min(LINGER_NANOS, request.lookInterval().toNanos());
			this.waiting.add(place);
			this.unconfirmed.add(place);
			this.frontDue |= this.waiting.size() == 1;
		});
		return place;
	}

	private static long later(long one, long another) {
		return (one - another >= 0) ? one : another;
	}

	/**
	 * Return whether calls that have gone have left all that there is.
	 */
	boolean isLeftBehind() {
		return this.mutex.get(this.waiting::isEmpty);
	}

	/**
	 * Return whether the question of a call that has gone, or its removal, is under way.
	 */
	boolean isEnding() {
		return this.mutex.get(() -> this.waiting.isEmpty() && this.busy);
	}

	boolean isIdle() {
		return this.mutex.get(() -> this.waiting.isEmpty() && this.rows.size() == 0 && !this.busy);
	}

	/**
	 * Ask about a new call, after the question that is under way.
	 */
	void joined() {
		if (!this.mutex.get(() -> this.signalled |= this.busy)) {
			ask();
		}
	}

	/**
	 * Ask whether the front has the key now, as somebody may have released it.
	 */
	void released() {
		if (this.mutex.get(() -> this.frontDue |= !this.waiting.isEmpty())) {
			joined();
		}
	}

	/**
	 * Ask on behalf of a call, if it is the first or its row may be forgotten.
	 */
	void look(TablePlace place) {
		boolean due = this.mutex.get(() -> {
			boolean isFirst = !this.waiting.isEmpty() && this.waiting.iterator().next() == place;
			this.frontDue |= isFirst;
			return isFirst || (this.waiting.contains(place)
					&& (!place.isBehindOthers() || this.rows.isStayDue(place.request())));
		});
		if (due) {
			ask();
		}
	}

	void leave(TablePlace place) {
		this.mutex.run(() -> {
			if (this.waiting.remove(place)) {
				this.unconfirmed.remove(place);
				afterLeaving();
			}
		});
		this.lines.forgetIfIdle(this.key);
	}

	private void afterLeaving() {
		if (this.waiting.isEmpty()) {
			this.emptySinceNanos = System.nanoTime();
			stopTimer();
		}
		if (this.rows.size() > this.waiting.size() && !this.removalPlanned && !this.removalDue) {
			removeLater(this.lingerNanos);
		}
	}

	private void ask() {
		QueueQuestion next = this.mutex.get(this::next);
		if (next == null) {
			return;
		}
		// whatever is thrown is a failure, and the line goes on
		CompletableFuture.completedFuture(next).thenCompose(this::answer).whenComplete((done, failure) -> {
			if (failure != null) {
				failed(next, failure);
			}
		}).whenComplete((done, failure) -> end());
	}

	/**
	 * Ask, and deal with the answer.
	 * @return completes when that is done; fails if the database did not answer
	 */
	private CompletionStage<Boolean> answer(QueueQuestion next) {
		return this.lines.ask(next, this::isLeftBehind).thenCompose((token) -> {
			if (token != 0) {
				return granted(next, token);
			}
			refused(next);
			return DONE;
		});
	}

	private @Nullable QueueQuestion next() {
		if (this.busy) {
			return null;
		}
		this.signalled = false;
		if (this.waiting.isEmpty()) {
			return null;
		}
		LeaseRequest request = this.waiting.iterator().next().request();
		while (this.rows.size() < this.waiting.size()) {
			this.rows.add(this.lines.row(request));
		}
		boolean asksFront = this.frontDue || !this.rows.isFrontStaying();
		boolean stayDue = this.rows.isStayDue(request);
		if (!asksFront && !stayDue && this.unconfirmed.isEmpty()) {
			return null;
		}
		this.busy = true;
		this.frontDue = false;
		if (asksFront) {
			stopTimer();
		}
		return new QueueQuestion(request, this.giveUpAtNanos, this.rows.toAskAbout(), List.copyOf(this.unconfirmed),
				asksFront, stayDue);
	}

	private CompletionStage<Boolean> granted(QueueQuestion answered, long token) {
		QueueRow row = answered.front();
		Lease lease = this.lines.grant(answered, token);
		TablePlace taker = this.mutex.get(() -> {
			this.rows.remove(row);
			// others of this JVM may have no row yet
			this.signalled = true;
			return taker(answered);
		});
		if (taker != null) {
			taker.take(lease);
			return DONE;
		}
		// the next question finds the key free
		return lease.release().handle((released, failure) -> {
			if (failure != null) {
				row.ended(failure);
			}
			return true;
		});
	}

	/**
	 * Return the call that gets what was granted: the first one, if the lease is as long
	 * as it wants.
	 */
	private @Nullable TablePlace taker(QueueQuestion answered) {
		Iterator<TablePlace> waiting = this.waiting.iterator();
		if (!waiting.hasNext()) {
			return null;
		}
		TablePlace first = waiting.next();
		if (!first.request().leaseTime().equals(answered.request().leaseTime())) {
			this.frontDue = true;
			return null;
		}
		waiting.remove();
		this.unconfirmed.remove(first);
		afterLeaving();
		return first;
	}

	private void refused(QueueQuestion answered) {
		boolean askAgain = this.mutex.get(() -> {
			if (answered.isStayDue()) {
				this.rows.stayed(answered.beganNanos());
			}
			answered.unconfirmed().forEach(this.unconfirmed::remove);
			boolean askedAnother = answered.asksFront() && !this.rows.isFront(answered.front());
			return this.rows.noteFirst(answered.first().get()) || askedAnother;
		});
		answered.unconfirmed().forEach(TablePlace::confirm);
		if (askAgain) {
			released();
		}
		this.mutex.run(() -> {
			if (!this.waiting.isEmpty()) {
				// told at once, too: the key may have been released before
				this.rows.listen(() -> this.lines.listen(this.key, this::released));
			}
		});
	}

	private void failed(QueueQuestion answered, Throwable failure) {
		Set<TablePlace> told = this.mutex.get(() -> {
			if (answered.sent().get()) {
				answered.rows().forEach(QueueRow::isInDoubt);
				// it may have the key already: then no other one gets it
				this.rows.moveToFront(answered.front());
			}
			Set<TablePlace> asked = new LinkedHashSet<>(this.waiting);
			// nobody has asked about those that came since
			answered.unconfirmed().forEach(this.unconfirmed::remove);
			asked.removeAll(this.unconfirmed);
			// the next answer confirms those that stay
			this.unconfirmed.addAll(asked);
			return asked;
		});
		told.forEach((place) -> place.failed(failure));
	}

	/**
	 * A release has named this row, or messages begin to arrive.
	 */
	private void isFirst(QueueRow row) {
		this.mutex.run(() -> {
			this.rows.named(row);
			// the question that asks about it is one that asks the front
			this.frontDue |= !this.waiting.isEmpty();
		});
		released();
	}

	private void end() {
		boolean removes = this.mutex.get(() -> {
			boolean due = this.removalDue;
			this.busy = false;
			this.removalDue = false;
			if (!this.waiting.isEmpty() && this.timer == null) {
				this.timer = DelayedTasks.later(Duration.ofNanos(interval()), this::intervalOver);
			}
			return due;
		});
		if (removes) {
			removeLingered();
		}
		if (this.mutex.get(() -> this.signalled)) {
			ask();
		}
		this.lines.forgetIfIdle(this.key);
	}

	private long interval() {
		TablePlace first = this.waiting.iterator().next();
		long look = first.request().lookInterval().toNanos();
		if (this.lines.areReleasesTold()) {
			return look;
		}
		long waited = System.nanoTime() - later(this.rows.frontSinceNanos(), first.sinceNanos());
		return Math.min(look, Math.max(FIRST_INTERVAL_NANOS, waited / INTERVALS_PER_WAIT));
	}

	private void intervalOver() {
		this.mutex.run(() -> this.timer = null);
		released();
	}

	/**
	 * Remove the rows that no call needs. If a question is under way, its end comes back
	 * here.
	 */
	private void removeLingered() {
		List<QueueRow> surplus = this.mutex.get(this::takeSurplus);
		if (!surplus.isEmpty()) {
			this.lines.remove(this.key, surplus).whenComplete((removed, failure) -> {
				surplus.forEach((row) -> row.ended(failure));
				end();
			});
		}
	}

	private List<QueueRow> takeSurplus() {
		this.removalPlanned = false;
		if (this.busy) {
			this.removalDue = true;
			return List.of();
		}
		long restNanos = this.waiting.isEmpty() ? this.lingerNanos - (System.nanoTime() - this.emptySinceNanos) : 0;
		if (restNanos > 0) {
			removeLater(restNanos);
			return List.of();
		}
		List<QueueRow> surplus = this.rows.beyond(this.waiting.size());
		surplus.forEach((row) -> {
			announceIfNamed(row);
			this.rows.remove(row);
		});
		this.busy = !surplus.isEmpty();
		return surplus;
	}

	/**
	 * Let the next one know for a while if a message names a row that is being removed: a
	 * release that began before may have read it, and not have locked the key yet, so
	 * that the removal does not wait for it.
	 */
	private void announceIfNamed(QueueRow row) {
		ReleaseSignal.Subscription late = this.lines.listen(this.key, row,
				() -> this.lines.remove(this.key, List.of(row)));
		DelayedTasks.after(NAMED_LATE).execute(late::close);
	}

	/**
	 * Remove all rows immediately, as no call will come.
	 */
	void close() {
		List<QueueRow> left = this.mutex.get(this.rows::all);
		this.lines.remove(this.key, left);
		left.forEach((row) -> row.ended(null));
	}

	private void removeLater(long nanos) {
		this.removalPlanned = true;
		DelayedTasks.after(Duration.ofNanos(nanos)).execute(this::removeLingered);
	}

	private void stopTimer() {
		if (this.timer != null) {
			this.timer.run();
			this.timer = null;
		}
	}

}
