package io.distributedlock.jdbc.internal.table;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.jdbc.internal.call.CallThreads;
import io.distributedlock.spi.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * What a line asks the database: whether its front has the key now, and that all its rows
 * join the queue or stay in it.
 *
 * @param request that of the first call in the line
 * @param giveUpAtNanos when the last call in the line gives up
 * @param rows the rows of the line
 * @param unconfirmed the calls that are confirmed by an answer that others are in front
 * @param asksFront whether to ask about the key, too
 * @param isStayDue whether it is time to say that all rows stay in the queue
 * @param beganNanos when it was made
 * @param sent whether the database may have granted the lock
 * @param first the owner that is the first in the queue, whoever it is, as far as the
 * answer says so
 */
record QueueQuestion(LeaseRequest request, long giveUpAtNanos, List<QueueRow> rows, List<TablePlace> unconfirmed,
		boolean asksFront, boolean isStayDue, long beganNanos, AtomicBoolean sent,
		AtomicReference<@Nullable String> first) implements CallThreads.Late<Long> {

	QueueQuestion(LeaseRequest request, long giveUpAtNanos, List<QueueRow> rows, List<TablePlace> unconfirmed,
			boolean asksFront, boolean isStayDue) {
		this(request, giveUpAtNanos, rows, unconfirmed, asksFront, isStayDue, System.nanoTime(), new AtomicBoolean(),
				new AtomicReference<>());
	}

	QueueRow front() {
		return this.rows.get(0);
	}

	List<QueueRow> behind() {
		return this.rows.subList(1, this.rows.size());
	}

	@Override
	public void succeeded(Long token) {
		this.rows.forEach(QueueRow::isLate);
	}

	@Override
	public void failed(Throwable failure) {
		this.rows.forEach(QueueRow::isLate);
	}

}
