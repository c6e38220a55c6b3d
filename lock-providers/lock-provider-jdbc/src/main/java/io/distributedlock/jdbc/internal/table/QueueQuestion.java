package io.distributedlock.jdbc.internal.table;

import java.util.List;

import io.distributedlock.jdbc.internal.call.CallThreads;
import io.distributedlock.spi.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * What a line asks the database: whether its front has the key now, and that all its rows
 * join the queue or stay in it.
 */
final class QueueQuestion implements CallThreads.Late<Long> {

	private final LeaseRequest request;

	private final long giveUpAtNanos;

	private final long beganNanos = System.nanoTime();

	private final List<QueueRow> rows;

	private final List<TablePlace> unconfirmed;

	private final boolean asksFront;

	private final boolean stayDue;

	private volatile boolean sent;

	private volatile @Nullable String first;

	/**
	 * Create a question.
	 * @param request that of the first call in the line
	 * @param giveUpAtNanos when the last call in the line gives up
	 * @param rows the rows of the line
	 * @param unconfirmed the calls that are confirmed by an answer that others are in
	 * front
	 * @param asksFront whether to ask about the key, too
	 * @param stayDue whether it is time to say that all rows stay in the queue
	 */
	QueueQuestion(LeaseRequest request, long giveUpAtNanos, List<QueueRow> rows, List<TablePlace> unconfirmed,
			boolean asksFront, boolean stayDue) {
		this.request = request;
		this.giveUpAtNanos = giveUpAtNanos;
		this.rows = rows;
		this.unconfirmed = unconfirmed;
		this.asksFront = asksFront;
		this.stayDue = stayDue;
	}

	LeaseRequest request() {
		return this.request;
	}

	long giveUpAtNanos() {
		return this.giveUpAtNanos;
	}

	long beganNanos() {
		return this.beganNanos;
	}

	/**
	 * Note that from now on the database may have granted the lock.
	 */
	void sent() {
		this.sent = true;
	}

	boolean isSent() {
		return this.sent;
	}

	List<TablePlace> unconfirmed() {
		return this.unconfirmed;
	}

	List<QueueRow> rows() {
		return this.rows;
	}

	QueueRow front() {
		return this.rows.get(0);
	}

	List<QueueRow> behind() {
		return this.rows.subList(1, this.rows.size());
	}

	boolean asksFront() {
		return this.asksFront;
	}

	boolean isStayDue() {
		return this.stayDue;
	}

	/**
	 * Note which owner is the first in the queue, whoever it is.
	 */
	void sees(@Nullable String nowFirst) {
		this.first = nowFirst;
	}

	@Nullable String first() {
		return this.first;
	}

	@Override
	public void succeeded(Long token) {
		this.rows.forEach((row) -> row.succeeded(token));
	}

	@Override
	public void failed(Throwable failure) {
		this.rows.forEach((row) -> row.failed(failure));
	}

}
