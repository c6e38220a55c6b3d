package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.ScriptRunner;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.UnknownOwners;
import org.jspecify.annotations.Nullable;

/**
 * Asks for, renews and releases locks that one owner has alone, whatever the client and
 * the layout of the keys. A call that may wait takes a place in the line of its key. The
 * release of a lock names the next owner, and this object receives the message. Fair and
 * other exclusive locks share one line, in the order of arrival. Thread-safe; no method
 * blocks.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 *
 * @since 0.1
 */
public final class ExclusiveLocks implements AutoCloseable {

	/**
	 * Lines without a place are kept up to this number: they know until when this JVM
	 * counts as alive there.
	 */
	private static final int EMPTY_LINES = 1000;

	private final ScriptRunner runner;

	private final LockScripts scripts;

	private final TokenCounters counters;

	private final OwnerIds owners = new OwnerIds();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	private final OwnerMessages mailbox;

	private final BatchedRenewals renewals;

	private final ConcurrentHashMap<String, Line> lines = new ConcurrentHashMap<>();

	private final ConcurrentHashMap<String, LinePlace> places = new ConcurrentHashMap<>();

	/**
	 * Create an object for one provider.
	 * @param runner runs the scripts
	 * @param scripts the scripts for the layout of the keys
	 * @param counters the names of the counters and channels
	 */
	public ExclusiveLocks(ScriptRunner runner, LockScripts scripts, TokenCounters counters) {
		this.runner = runner;
		this.scripts = scripts;
		this.counters = counters;
		this.mailbox = new OwnerMessages(runner, channel(), this::onGrant, this::onFree, this::onActive);
		this.renewals = new BatchedRenewals(runner, scripts.renew(), this.mailbox, this.owners, counters);
	}

	/**
	 * Make one attempt to acquire a lock. Nobody is overtaken: if the lock is free and
	 * others wait, the first of them gets it.
	 * @param request the request
	 * @return completes with the lease, or with {@code null} if another owner has it
	 */
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return tryAcquire(request, scripts().acquire());
	}

	/**
	 * Make one attempt to acquire a lock.
	 * @param request the request
	 * @param acquire a script with the arguments and the answer of
	 * {@link LockScripts#acquire()}
	 * @return completes with the lease, or with {@code null} if another owner has it
	 */
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request, Script acquire) {
		String number = this.owners.nextNumber();
		int heard = this.mailbox.subscription();
		ScriptCall call = call(acquire, request.key(), List.of(owner(number), terms(request, "", "")))
			.whileWanted(() -> request.remainingNanos() > 0)
			.until(request.giveUpAtNanos());
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		return this.runner.<Long>run(call).handle((answer, failure) -> {
			if (failure != null) {
				throw failed(request, failure, () -> removal(request.key(), number, "", true));
			}
			return (answer != LockScripts.TAKEN) ? lease(request, number, answer, heard, 0, term) : null;
		});
	}

	/**
	 * Take a place in the line of a key.
	 * @param request the request
	 * @return the place
	 */
	public LockQueue.Place enqueue(LeaseRequest request) {
		Line line = this.lines.computeIfAbsent(request.key(), (key) -> new Line(this, this.counters.keys(key)));
		LinePlace place = new LinePlace(this, line, request, this.owners.nextNumber());
		this.places.put(place.number(), place);
		place.ask();
		return place;
	}

	/**
	 * Renew several leases, those that this object has granted together.
	 * @param due the leases and their new lengths
	 * @return for each renewal, in the same order, what {@link Lease#renew} returns
	 */
	public List<CompletionStage<@Nullable LeaseTerm>> renewAll(List<LeaseRenewal> due) {
		return this.renewals.renewAll(due);
	}

	/**
	 * Subscribe to the channel of this JVM, and let the server publish there, so that a
	 * warning says what is refused, or that no message arrives.
	 * @param ping publishes to a channel, and answers as {@link PlainScripts#PING}
	 * @return completes with that answer
	 */
	public CompletionStage<Long> check(Function<String, CompletionStage<Long>> ping) {
		return this.mailbox.check(ping);
	}

	/**
	 * Leave the line of a key, or release its lock, for an owner that has neither. It
	 * changes nothing, and needs the rights of any release.
	 * @param key the key
	 * @return completes with {@code false}
	 */
	public CompletionStage<Boolean> leaveUnknown(String key) {
		return removed(call(scripts().leave(), key, List.of(owner("0"), "")));
	}

	/**
	 * Release a lock for its owner, whichever JVM it belongs to.
	 * @param key the key
	 * @param owner the name of the owner
	 * @return completes with {@code true} if this owner had the lock
	 */
	public CompletionStage<Boolean> revoke(String key, String owner) {
		return removed(call(scripts().release(), key, List.of(owner)));
	}

	/**
	 * Return the channel of this JVM.
	 * @return the channel
	 */
	public String channel() {
		return this.counters.channel(this.owners.jvm());
	}

	/**
	 * Stop the removal of owners.
	 */
	@Override
	public void close() {
		this.unknownOwners.close();
	}

	ScriptRunner runner() {
		return this.runner;
	}

	LockScripts scripts() {
		return this.scripts;
	}

	OwnerMessages mailbox() {
		return this.mailbox;
	}

	@Nullable LinePlace place(String number) {
		return this.places.get(number);
	}

	String owner(String number) {
		return this.owners.owner(number);
	}

	/**
	 * Return a call of a script for one lock.
	 * @param script a script that uses all keys of the lock
	 * @param key the key
	 * @param arguments its arguments
	 * @return the call
	 */
	ScriptCall call(Script script, String key, List<String> arguments) {
		Line line = this.lines.get(key);
		return this.counters.call(script, (line != null) ? line.keys() : this.counters.keys(key), 2, arguments);
	}

	/**
	 * Return what an attempt wants, as the scripts expect it.
	 * @param grantMillis how long a grant is to live, empty if the owner may not wait
	 * @param known what the server need not do, empty if it must
	 */
	static String terms(LeaseRequest request, String grantMillis, String known) {
		String digits = request.interopPolling().isZero() ? known : known + "3";
		return (ScriptCall.millis(request.leaseTime()) + ' ' + request.tokens() + ' ' + grantMillis + ' ' + digits)
			.trim();
	}

	LineLease lease(LeaseRequest request, String number, long answer, int heard, int inARow, LeaseTerm term) {
		return new LineLease(this, request.key(), number, new LineLease.Grant(Math.abs(answer), request.tokens(),
				inARow, (answer > 0) ? heard : 0, request.interopPolling().toMillis()), term);
	}

	CompletionStage<@Nullable LeaseTerm> renew(LineLease lease, Duration leaseTime) {
		return this.renewals.renewAll(List.of(new LeaseRenewal(lease, leaseTime))).get(0);
	}

	CompletionStage<Boolean> release(LineLease lease) {
		this.mailbox.forget(lease.number());
		String owner = owner(lease.number());
		String grant = lease.grant().forRelease();
		return removed(
				call(scripts().release(), lease.key(), grant.equals("0") ? List.of(owner) : List.of(owner, grant)));
	}

	boolean isAwaited(LineLease lease) {
		return this.mailbox.isAwaited(lease.number(), lease.grant().heardSince());
	}

	/**
	 * Note that the server has a place in the line.
	 */
	void joined(LinePlace place) {
		place.line().add(place);
		if (!place.isWaiting()) {
			// it ended before it was noted
			forget(place);
		}
	}

	/**
	 * Forget a place that is granted, was left or has failed.
	 */
	void forget(LinePlace place) {
		this.places.remove(place.number());
		place.line().remove(place);
		if (this.lines.size() > EMPTY_LINES) {
			this.lines.computeIfPresent(place.line().key(), (key, line) -> line.isEmpty() ? null : line);
		}
	}

	/**
	 * Remove a place from its line, and release its lock if it was granted meanwhile.
	 * @param mayArrive whether the server may still receive a question of this place
	 */
	void removeFromLine(LinePlace place, boolean mayArrive) {
		LeaseRequest request = place.request();
		ScriptCall call = removal(request.key(), place.number(), place.entry(), mayArrive);
		this.unknownOwners.remove(request.key(), request.leaseTime(), () -> removed(call));
	}

	private ScriptCall removal(String key, String number, String entry, boolean mayArrive) {
		return call(scripts().leave(), key,
				mayArrive ? List.of(owner(number), entry, "1") : List.of(owner(number), entry))
			.asRemoval();
	}

	/**
	 * Remove the owner of an attempt that has failed, unless the server has refused it.
	 * @return what the failure means
	 */
	BackendException failed(LeaseRequest request, Throwable failure, Supplier<ScriptCall> removal) {
		if (!this.runner.isRefusal(failure)) {
			this.unknownOwners.remove(request.key(), request.leaseTime(), () -> removed(removal.get()));
		}
		return this.runner.translate(failure);
	}

	/**
	 * Run a script that answers whether an owner had a lock.
	 */
	CompletionStage<Boolean> removed(ScriptCall call) {
		return Failures.translated(this.runner.<Long>run(call), this.runner::translate).thenApply(this::hadLock);
	}

	/**
	 * Return whether an owner had the lock that it has released. If the server refused to
	 * publish the release, a warning says so once.
	 * @param had what the script has answered
	 */
	private boolean hadLock(long had) {
		this.runner.shortfalls().noteAnswer(had);
		return had > 0;
	}

	private void onGrant(String[] message) {
		LinePlace place = this.places.get(message[0]);
		// a place that was left is removed by its own command
		if (place != null) {
			place.onGrant(Long.parseLong(message[1]), Long.parseLong(message[2]), Integer.parseInt(message[3]));
		}
	}

	private void onFree(String number) {
		LinePlace place = this.places.get(number);
		if (place != null) {
			place.line().onRelease();
		}
	}

	private void onActive() {
		// a line that was empty for a moment may be known to its places alone
		this.places.values().stream().map(LinePlace::line).distinct().forEach(Line::onRelease);
	}

}
