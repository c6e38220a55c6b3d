package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockQueue;

/**
 * A place in the line of a key. Its first question takes a free lock, or joins the line.
 * From then on it waits for a message.
 * <p>
 * A grant is a lease that nobody has just asked for. Its term begins when the last
 * question was sent that the server answered before the grant. The grant has a short time
 * to live, which the engine's renewal lengthens; if little is left of it, this class asks
 * for the whole lease before the work begins.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md,
 * docs/decisions/040-redis-hands-over.md, docs/decisions/043-passed-on-inside-a-jvm.md
 */
final class LinePlace implements LockQueue.Place {

	/**
	 * How many intervals a grant lives without a renewal.
	 */
	private static final int INTERVALS_PER_GRANT = 3;

	/**
	 * The least time that a grant lives, unless the whole lease is shorter. A JVM that is
	 * busy for a moment must neither lose the lock nor its places, however often it asks.
	 */
	private static final long LEAST_GRANT_MILLIS = 1500;

	private final ExclusiveLocks locks;

	private final Line line;

	private final LeaseRequest request;

	private final String number;

	private final long grantMillis;

	private final CompletableFuture<Lease> granted = new CompletableFuture<>();

	private final AtomicBoolean asking = new AtomicBoolean();

	/**
	 * Just before the first question is sent. Every grant is later.
	 */
	private final long begunAt = System.nanoTime();

	private volatile Standing standing = Standing.UNKNOWN;

	/**
	 * Whether a question is without an answer for good. The server may receive it later.
	 */
	private volatile boolean unanswered;

	/**
	 * How many grants in a row led to the one that a message brought.
	 */
	private volatile int inARow;

	/**
	 * Whether a message has granted the lock since the last question was sent.
	 */
	private volatile boolean told;

	/**
	 * Whether any message has granted the lock.
	 */
	private volatile boolean heard;

	/**
	 * Whether the server was seen to have granted the lock.
	 */
	private volatile boolean seenGranted;

	private final long order;

	LinePlace(ExclusiveLocks locks, Line line, LeaseRequest request, String number) {
		this.locks = locks;
		this.line = line;
		this.request = request;
		this.number = number;
		this.order = line.nextOrder();
		long intervals = INTERVALS_PER_GRANT * request.lookInterval().toMillis();
		long usable = Math.max(intervals, LEAST_GRANT_MILLIS);
		this.grantMillis = Math.min(usable + request.lockDelay().toMillis(), request.leaseTime().toMillis());
	}

	LeaseRequest request() {
		return this.request;
	}

	Line line() {
		return this.line;
	}

	String number() {
		return this.number;
	}

	long grantMillis() {
		return this.grantMillis;
	}

	long order() {
		return this.order;
	}

	/**
	 * Return the place as the server keeps it.
	 */
	String entry() {
		return this.locks.owner(this.number) + ' ' + this.request.tokens() + ' ' + this.grantMillis;
	}

	boolean isWaiting() {
		return !this.granted.isDone();
	}

	@Override
	public CompletionStage<Lease> granted() {
		return this.granted;
	}

	@Override
	public boolean isBehindOthers() {
		return this.standing == Standing.IN_LINE && !this.line.hasFailed();
	}

	@Override
	public void lookAgain() {
		this.line.look(this.request.lookInterval());
	}

	@Override
	public void leave() {
		end(new CancellationException("the place was left"), true);
	}

	/**
	 * End the place without a lease. The future decides between this and a grant.
	 */
	private void end(RuntimeException reason, boolean mayBeThere) {
		if (this.granted.completeExceptionally(reason)) {
			this.locks.forget(this);
			if (mayBeThere) {
				remove();
			}
		}
	}

	/**
	 * Ask for the lock: take it, or join the line, or learn that it was granted.
	 */
	void ask() {
		if (!isWaiting() || !this.asking.compareAndSet(false, true)) {
			return;
		}
		this.told = false;
		long sentAt = System.nanoTime();
		Question question = new Question(sentAt,
				this.line.isAliveDue(sentAt, this.request.lookInterval(), this.grantMillis),
				this.locks.mailbox().subscription());
		ScriptCall call = this.locks
			.call(this.locks.scripts().acquire(), this.request.key(),
					List.of(this.locks.owner(this.number), terms(question.saysAlive)))
			.whileWanted(() -> isWaiting() && this.request.remainingNanos() > 0)
			.until(this.request.giveUpAtNanos());
		this.locks.runner().<Long>run(call).whenComplete((answer, failure) -> {
			this.asking.set(false);
			if (failure != null) {
				onFailure(failure);
			}
			else if (answer == LockScripts.TAKEN) {
				fail(new BackendException("the server had removed the owner that asked for the lock", true, null));
			}
			else {
				onAnswer(question, answer);
			}
		});
	}

	private void onAnswer(Question question, long answer) {
		if (LockScripts.isInLine(answer)) {
			onJoined(question);
			if (answer == LockScripts.IN_LINE_BEHIND_OTHERS) {
				this.line.listenToOthers();
			}
			else if (answer == LockScripts.IN_LINE_OF_A_FREE_LOCK) {
				this.line.lookSoon();
			}
			if (this.told) {
				ask();
			}
		}
		else {
			if (this.seenGranted && !this.heard) {
				this.locks.runner().doubtHearing();
			}
			grant(this.locks.lease(this.request, this.number, answer, question.heard, this.inARow,
					new LeaseTerm(question.sentAt, this.request.leaseTime())));
		}
	}

	/**
	 * Join the line again if the server has lost it, or if the last attempt to join again
	 * has failed.
	 */
	void askAgain(boolean lost) {
		if (this.standing == Standing.IN_DOUBT || (lost && this.standing == Standing.IN_LINE)) {
			ask();
		}
	}

	/**
	 * Ask for the lease, as the server has granted the lock. The message of the grant was
	 * lost, or is still on its way.
	 */
	void askForGrant() {
		this.seenGranted = true;
		ask();
	}

	/**
	 * Receive a message: the release of another owner has granted the lock.
	 */
	void onGrant(long token, long millis, int inARow) {
		this.heard = true;
		this.inARow = inARow;
		if (this.locks.runner().confirmsGrants()) {
			this.told = true;
			ask();
			return;
		}
		Duration length = Duration.ofMillis(millis);
		long startNanos = this.line.startOf(token, this.begunAt);
		LineLease lease = this.locks.lease(this.request, this.number, token, 0, inARow,
				new LeaseTerm(startNanos, length));
		long usableNanos = length.minus(this.request.lockDelay()).toNanos();
		if (2 * (System.nanoTime() - startNanos) <= usableNanos) {
			grant(lease);
			return;
		}
		// not a renewal: the grant may have ended, and another one have come meanwhile,
		// with later tokens
		this.told = true;
		ask();
	}

	void fail(BackendException failure) {
		end(failure, true);
	}

	private String terms(boolean saysAlive) {
		return ExclusiveLocks.terms(this.request, Long.toString(this.grantMillis),
				(saysAlive ? "" : "1") + (this.standing != Standing.UNKNOWN ? "2" : ""));
	}

	private void onJoined(Question question) {
		if (question.saysAlive) {
			this.line.noteAlive(question.sentAt, this.grantMillis);
		}
		boolean joins = this.standing == Standing.UNKNOWN;
		this.standing = Standing.IN_LINE;
		if (joins) {
			this.locks.joined(this);
		}
		this.locks.mailbox().open(this.request.lookInterval());
		if (!isWaiting()) {
			removeAfterEnd();
		}
	}

	private void onFailure(Throwable failure) {
		boolean mayArrive = !this.locks.runner().isRefusal(failure);
		if (mayArrive) {
			this.unanswered = true;
		}
		BackendException translated = this.locks.runner().translate(failure);
		boolean joined = this.standing != Standing.UNKNOWN;
		if (joined && translated.isRetryable()) {
			this.standing = Standing.IN_DOUBT;
		}
		else {
			end(translated, joined || mayArrive);
		}
	}

	private void grant(LineLease lease) {
		if (this.asking.get() || this.unanswered) {
			// the server may receive a question after the release, and take it for a new
			// one
			lease.afterRelease(() -> this.locks.removeFromLine(this, true));
		}
		if (this.granted.complete(lease)) {
			this.locks.forget(this);
		}
		else {
			removeAfterEnd();
		}
	}

	/**
	 * Remove an owner that may have joined the line, or got the lock, after its place had
	 * ended. If a message has granted the lock before this answer came, the removal
	 * follows the release, which it must not overtake.
	 */
	private void removeAfterEnd() {
		if (this.granted.isCompletedExceptionally()) {
			remove();
		}
		else if (this.granted.getNow(null) instanceof LineLease held) {
			held.afterRelease(() -> this.locks.removeFromLine(this, true));
		}
	}

	private void remove() {
		this.locks.removeFromLine(this, this.asking.get() || this.unanswered);
	}

	/**
	 * What the server has said of this place.
	 */
	private enum Standing {

		/**
		 * No question was answered.
		 */
		UNKNOWN,

		/**
		 * The last answer said that it is in the line.
		 */
		IN_LINE,

		/**
		 * It has joined the line, and the last question has failed. It stays there for a
		 * while.
		 */
		IN_DOUBT

	}

	/**
	 * A question of this place.
	 *
	 * @param sentAt when it was sent
	 * @param saysAlive whether it lets the JVM count as alive
	 * @param heard the subscription during which it was sent
	 */
	private record Question(long sentAt, boolean saysAlive, int heard) {
	}

}
