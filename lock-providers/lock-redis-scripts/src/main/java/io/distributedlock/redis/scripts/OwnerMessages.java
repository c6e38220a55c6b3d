package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.distributedlock.redis.scripts.script.ScriptRunner;

/**
 * What arrives on the channel of this JVM for its owners. Knows which owners were said to
 * be awaited. If the channel cannot be subscribed to, places ask at intervals, and every
 * owner counts as awaited.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 */
final class OwnerMessages {

	/**
	 * More awaited owners than this are not remembered one by one.
	 */
	private static final int MOST_AWAITED = 10_000;

	private final JvmChannel channel;

	private final Consumer<String[]> onGrant;

	private final Consumer<String> onFree;

	private final Set<String> awaited = ConcurrentHashMap.newKeySet();

	OwnerMessages(ScriptRunner runner, String channel, Consumer<String[]> onGrant, Consumer<String> onFree,
			Runnable onActive) {
		this.channel = new JvmChannel(runner, channel, this::onMessage, onActive);
		this.onGrant = onGrant;
		this.onFree = onFree;
	}

	/**
	 * Subscribe to the channel, see {@link JvmChannel#open(Duration)}.
	 */
	void open(Duration interval) {
		this.channel.open(interval);
	}

	/**
	 * Return the present subscription, 0 if there is none.
	 */
	int subscription() {
		return this.channel.subscription();
	}

	/**
	 * Return whether others may wait for what an owner has.
	 * @param heardSince the subscription during which the server said that nobody waits
	 */
	boolean isAwaited(String number, int heardSince) {
		if (heardSince == 0) {
			this.channel.open();
			return true;
		}
		return heardSince != subscription() || this.awaited.contains(number);
	}

	void noteAwaited(String number) {
		if (this.awaited.size() >= MOST_AWAITED) {
			// all present leases count as awaited
			this.channel.nextSubscription();
			this.awaited.clear();
		}
		this.awaited.add(number);
	}

	void forget(String number) {
		this.awaited.remove(number);
	}

	private void onMessage(String message) {
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
