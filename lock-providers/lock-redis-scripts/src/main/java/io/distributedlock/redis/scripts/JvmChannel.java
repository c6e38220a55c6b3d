package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.distributedlock.redis.scripts.script.ScriptRunner;

/**
 * A channel of this JVM, to which it subscribes when it first waits, and then stays
 * subscribed: one serves all keys. Thread-safe.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 *
 * @since 0.1
 */
public final class JvmChannel {

	private final ScriptRunner runner;

	private final String name;

	private final Consumer<String> onMessage;

	private final Runnable onActive;

	private final AtomicBoolean opened = new AtomicBoolean();

	private volatile boolean failed;

	private volatile long failedAt;

	private volatile Duration interval = Duration.ofSeconds(1);

	/**
	 * Counts the subscriptions: after a new one, a message may have been missed.
	 */
	private final AtomicInteger subscription = new AtomicInteger();

	/**
	 * Create a channel, which is not open yet.
	 * @param runner hears the messages
	 * @param name the name of the channel
	 * @param onMessage receives each message
	 * @param onActive called whenever messages begin to arrive: earlier ones may have
	 * been missed
	 */
	public JvmChannel(ScriptRunner runner, String name, Consumer<String> onMessage, Runnable onActive) {
		this.runner = runner;
		this.name = name;
		this.onMessage = onMessage;
		this.onActive = onActive;
	}

	/**
	 * Subscribe to the channel, unless that was done. If it has failed, it is tried again
	 * once in an interval.
	 * @param interval the least time between two attempts
	 */
	public void open(Duration interval) {
		this.interval = interval;
		open();
	}

	void open() {
		if (this.opened.get() || (this.failed && System.nanoTime() - this.failedAt < this.interval.toNanos())) {
			return;
		}
		if (this.opened.compareAndSet(false, true)) {
			this.runner.hear(this.name, this.onMessage, this::onActive).whenComplete((done, failure) -> {
				if (failure != null) {
					this.failedAt = System.nanoTime();
					this.failed = true;
					this.opened.set(false);
				}
			});
		}
	}

	private void onActive() {
		nextSubscription();
		this.onActive.run();
	}

	void nextSubscription() {
		this.subscription.incrementAndGet();
	}

	/**
	 * Return the present subscription.
	 * @return its number, 0 if there is none: messages do not arrive then
	 */
	public int subscription() {
		int present = this.subscription.get();
		return (present > 0 && this.runner.isHearing()) ? present : 0;
	}

}
