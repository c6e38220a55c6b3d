package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.redis.scripts.script.ScriptRunner;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.redis.scripts.script.Shortfalls.Shortfall;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * What arrives on the channel of this JVM for its owners. The JVM subscribes when it is
 * checked or first waits, and then stays subscribed: one channel serves all keys. Knows
 * which owners were said to be awaited. If the channel cannot be subscribed to, places
 * ask at intervals, and every owner counts as awaited. Thread-safe.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 */
final class OwnerMessages {

	/**
	 * More awaited owners than this are not remembered one by one.
	 */
	private static final int MOST_AWAITED = 10_000;

	/**
	 * A message that has not arrived by then was sent to nobody.
	 */
	private static final int SECONDS_TO_ARRIVE = 10;

	private final ScriptRunner runner;

	private final String channel;

	private final Consumer<String[]> onGrant;

	private final Consumer<String> onFree;

	private final Runnable onActive;

	private final Set<String> awaited = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean opened = new AtomicBoolean();

	private final CompletableFuture<@Nullable Void> heard = new CompletableFuture<>();

	private volatile boolean failed;

	private volatile long failedAt;

	private volatile Duration interval = Duration.ofSeconds(1);

	/**
	 * Counts the subscriptions: after a new one, a message may have been missed.
	 */
	private final AtomicInteger subscription = new AtomicInteger();

	/**
	 * Create an object that is not subscribed yet.
	 * @param onActive called whenever messages begin to arrive: earlier ones may have
	 * been missed
	 */
	OwnerMessages(ScriptRunner runner, String channel, Consumer<String[]> onGrant, Consumer<String> onFree,
			Runnable onActive) {
		this.runner = runner;
		this.channel = channel;
		this.onGrant = onGrant;
		this.onFree = onFree;
		this.onActive = onActive;
	}

	/**
	 * Subscribe to the channel, unless that was done. If it has failed, it is tried again
	 * once in an interval.
	 */
	void open(Duration interval) {
		this.interval = interval;
		open();
	}

	private CompletionStage<?> open() {
		if ((this.failed && System.nanoTime() - this.failedAt < this.interval.toNanos())
				|| !this.opened.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(null);
		}
		return this.runner.hear(this.channel, this::onMessage, this::onActive).whenComplete((done, failure) -> {
			if (failure != null) {
				this.failedAt = System.nanoTime();
				this.failed = true;
				this.opened.set(false);
			}
		});
	}

	/**
	 * Subscribe, let the server publish, and note what is missing.
	 */
	CompletionStage<Long> check(Function<String, CompletionStage<Long>> ping) {
		Shortfalls shortfalls = this.runner.shortfalls();
		return open().handle((done, failure) -> failure)
			.thenCompose((failure) -> ping.apply(this.channel).thenApply((answer) -> {
				shortfalls.noteAnswer(answer);
				if (failure == null) {
					this.heard.orTimeout(SECONDS_TO_ARRIVE, TimeUnit.SECONDS).exceptionally((late) -> {
						shortfalls.note(Shortfall.PUBLISH, "");
						return null;
					});
				}
				else if (!this.runner.isRefusal(failure)
						&& !(Failures.unwrap(failure) instanceof IllegalStateException)) {
					// a client may tell of no error of the server, or give up
					shortfalls.note(Shortfall.SUBSCRIBE, "");
				}
				return answer;
			}));
	}

	private void onActive() {
		this.subscription.incrementAndGet();
		this.onActive.run();
	}

	/**
	 * Return the present subscription, 0 if there is none: messages do not arrive then.
	 */
	int subscription() {
		int present = this.subscription.get();
		return (present > 0 && this.runner.ensureHearing()) ? present : 0;
	}

	/**
	 * Return whether others may wait for what an owner has.
	 * @param heardSince the subscription during which the server said that nobody waits
	 */
	boolean isAwaited(String number, int heardSince) {
		if (heardSince == 0) {
			open();
			return true;
		}
		return heardSince != subscription() || this.awaited.contains(number);
	}

	void noteAwaited(String number) {
		if (this.awaited.size() >= MOST_AWAITED) {
			// all present leases count as awaited
			this.subscription.incrementAndGet();
			this.awaited.clear();
		}
		this.awaited.add(number);
	}

	void forget(String number) {
		this.awaited.remove(number);
	}

	private void onMessage(String message) {
		this.heard.complete(null);
		String[] parts = message.split(" ", -1);
		if (parts.length == 1) {
			noteAwaited(message);
		}
		else if (parts.length == 2) {
			this.onFree.accept(parts[0]);
		}
		else {
			this.onGrant.accept(parts);
		}
	}

}
