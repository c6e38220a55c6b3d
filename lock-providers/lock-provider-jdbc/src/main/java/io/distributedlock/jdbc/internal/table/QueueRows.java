package io.distributedlock.jdbc.internal.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;

/**
 * The rows of this JVM in the queue of one key, the front before the others, and the
 * messages to them. Guarded by the mutex of their line.
 */
final class QueueRows {

	/**
	 * Begins to listen to the messages to a row.
	 */
	private final Function<QueueRow, ReleaseSignal.Subscription> messagesTo;

	private final List<QueueRow> rows = new ArrayList<>();

	/**
	 * What is listened to for each row, from {@link #listen} on.
	 */
	private final Map<QueueRow, ReleaseSignal.Subscription> messages = new HashMap<>();

	/**
	 * What is listened to for all rows.
	 */
	private ReleaseSignal.@Nullable Subscription listening;

	/**
	 * The row that a message has named.
	 */
	private @Nullable QueueRow named;

	private long frontSinceNanos;

	/**
	 * Whether the database has said that the front is the first in the queue.
	 */
	private boolean frontFirst;

	private long stayedNanos;

	QueueRows(Function<QueueRow, ReleaseSignal.Subscription> messagesTo) {
		this.messagesTo = messagesTo;
	}

	List<QueueRow> all() {
		return List.copyOf(this.rows);
	}

	int size() {
		return this.rows.size();
	}

	boolean isFront(QueueRow row) {
		return !this.rows.isEmpty() && this.rows.get(0) == row;
	}

	/**
	 * Return whether the database has said that the queue has the front.
	 */
	boolean isFrontStaying() {
		return this.rows.get(0).isStaying();
	}

	/**
	 * Return since when the front is the front.
	 */
	long frontSinceNanos() {
		return this.frontSinceNanos;
	}

	void add(QueueRow row) {
		if (this.rows.isEmpty()) {
			this.stayedNanos = System.nanoTime();
			frontChanged();
		}
		this.rows.add(row);
		if (this.listening != null) {
			listenTo(row);
		}
	}

	void remove(QueueRow row) {
		boolean wasFront = isFront(row);
		this.rows.remove(row);
		if (wasFront) {
			frontChanged();
		}
		ReleaseSignal.Subscription messagesToRow = this.messages.remove(row);
		if (messagesToRow != null) {
			messagesToRow.close();
		}
		if (this.rows.isEmpty() && this.listening != null) {
			this.listening.close();
			this.listening = null;
		}
	}

	/**
	 * Return the newest rows, which are to be removed: so one that has waited long is not
	 * lost while calls keep coming.
	 * @param needed how many rows to keep
	 */
	List<QueueRow> beyond(int needed) {
		return List.copyOf(this.rows.subList(Math.min(needed, size()), size()));
	}

	void moveToFront(QueueRow row) {
		if (this.rows.remove(row)) {
			this.rows.add(0, row);
		}
	}

	/**
	 * Return whether it is time to say that the rows stay in the queue.
	 */
	boolean isStayDue(LeaseRequest request) {
		return System.nanoTime() - this.stayedNanos >= request.lookInterval().toNanos() / 2;
	}

	void stayed(long nanos) {
		this.stayedNanos = nanos;
	}

	/**
	 * Listen to messages from now on.
	 * @param releases begins to listen to the releases of the key by any owner
	 */
	void listen(Supplier<ReleaseSignal.Subscription> releases) {
		if (this.listening == null) {
			this.rows.forEach(this::listenTo);
			this.listening = releases.get();
		}
	}

	private void listenTo(QueueRow row) {
		this.messages.put(row, this.messagesTo.apply(row));
	}

	/**
	 * Note that a message has named this row as the first in the queue.
	 */
	void named(QueueRow row) {
		this.named = row;
	}

	/**
	 * Return the rows, the one that a message has named since the last time before the
	 * others.
	 */
	List<QueueRow> toAskAbout() {
		List<QueueRow> asked = new ArrayList<>(this.rows);
		if (this.named != null && asked.remove(this.named)) {
			asked.add(0, this.named);
		}
		this.named = null;
		return List.copyOf(asked);
	}

	/**
	 * Note which owner is the first in the queue. If it is one of this JVM, its row is
	 * the front: two that joined at the same time may stand in another order in the
	 * database.
	 * @return whether the front is another one now
	 */
	boolean noteFirst(@Nullable String owner) {
		QueueRow own = this.rows.stream().filter((row) -> row.name().equals(owner)).findFirst().orElse(null);
		if (own == null) {
			return false;
		}
		boolean isAnother = !isFront(own);
		moveToFront(own);
		if (isAnother || !this.frontFirst) {
			frontChanged();
			this.frontFirst = true;
		}
		return isAnother;
	}

	private void frontChanged() {
		this.frontSinceNanos = System.nanoTime();
		this.frontFirst = false;
	}

}
