package io.distributedlock.redis.scripts;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.ScriptCall;

/**
 * The names of the counters of fencing tokens, and of the other keys that belong to a
 * lock. A token needs to rise within its key only, so one counter serves all keys of a
 * slot: a script may use keys of one slot only. A connection that looks like a single
 * server may lead to a cluster. What precedes the brace in the name is also the start of
 * the names of the channels. Thread-safe.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md,
 * docs/decisions/031-tokens-start-at-the-clock.md
 *
 * @since 0.1
 */
public final class TokenCounters {

	/**
	 * The start of the channels of JVMs that use the layout of Redisson.
	 */
	public static final String REDISSON_CHANNELS = "redisson_lock_line:";

	private static final int SLOTS = 16384;

	private final String channels;

	private final boolean cluster;

	/**
	 * Whether locks have a counter and a queue of Redisson.
	 */
	private final boolean ofRedisson;

	/**
	 * Create the names.
	 * @param prefix the start of all names; braces become underscores. All JVMs that use
	 * the same keys need the same prefix
	 * @param cluster whether the client divides keys among the nodes of a cluster
	 */
	public TokenCounters(String prefix, boolean cluster) {
		// the first brace ends the start of the name
		this(prefix.replace('{', '_').replace('}', '_') + ':', cluster, false);
	}

	private TokenCounters(String channels, boolean cluster, boolean ofRedisson) {
		this.channels = channels;
		this.cluster = cluster;
		this.ofRedisson = ofRedisson;
	}

	/**
	 * Create the names for the layout of Redisson, in which each lock has a counter of
	 * its own: code that uses Redisson by hand counts there too.
	 * @param cluster whether keys are in slots of a cluster
	 * @return the names
	 */
	public static TokenCounters ofRedisson(boolean cluster) {
		return new TokenCounters(REDISSON_CHANNELS, cluster, true);
	}

	/**
	 * Return the counter for a key.
	 * @param key the key in Redis
	 * @return the name of its counter, which is in the same slot
	 */
	public String counter(String key) {
		return this.ofRedisson ? "redisson_lock_token:" + tag(key)
				: this.channels + '{' + Tags.of(Tags.BY_SLOT[slot(key)]) + '}';
	}

	/**
	 * Return the line of those who wait for a lock.
	 * @param key the key in Redis
	 * @return its name
	 */
	public static String line(String key) {
		return beside(key) + ":line";
	}

	/**
	 * Return the hash beside the line of a lock, with the deadlines of JVMs.
	 * @param key the key in Redis
	 * @return its name
	 */
	public static String alive(String key) {
		return beside(key) + ":alive";
	}

	/**
	 * Return all keys of a lock.
	 * @param key the key in Redis
	 * @return the lock, its counter, its line and the hash beside it; with the layout of
	 * Redisson also the queue of a fair lock and its times
	 */
	public List<String> keys(String key) {
		return this.ofRedisson ? List.of(key, counter(key), line(key), alive(key), "redisson_lock_queue:" + tag(key),
				"redisson_lock_timeout:" + tag(key)) : List.of(key, counter(key), line(key), alive(key));
	}

	/**
	 * Return a call of a script that uses all keys of a lock.
	 * @param script the script
	 * @param key the key in Redis
	 * @param arguments its arguments
	 * @return the call
	 */
	public ScriptCall call(Script script, String key, List<String> arguments) {
		return call(script, keys(key), 2, arguments);
	}

	/**
	 * Return a call that declares its first keys only to a cluster, and has the others as
	 * its last arguments, from where the script takes them. While a slot of a cluster
	 * moves, a server refuses a call if some of its keys are missing there: an owner must
	 * still renew and release its lock. A service in front of a cluster demands all keys.
	 * @param script the script
	 * @param keys the keys
	 * @param needed how many keys are declared
	 * @param arguments its arguments
	 * @return the call
	 */
	public ScriptCall call(Script script, List<String> keys, int needed, List<String> arguments) {
		if (!this.cluster) {
			return new ScriptCall(script, keys, arguments);
		}
		List<String> all = new ArrayList<>(arguments);
		for (int i = keys.size() - 1; i >= needed; i--) {
			all.add(keys.get(i));
		}
		return new ScriptCall(script, keys.subList(0, needed), all);
	}

	/**
	 * Return the start of the names of what only this library keeps beside a key.
	 * @param key the key in Redis
	 * @return the key in braces; one that has some gets a brace more, as {@code k} and
	 * {@code {k}} are two locks
	 */
	public static String beside(String key) {
		return (key.contains("{") ? key : "{" + key) + "}";
	}

	/**
	 * Return the start of the names of what Redisson keeps beside a key, which puts all
	 * of it into the slot of the key. Braces in a key are its hash tag.
	 * @param key the key in Redis
	 * @return the key, in braces if it has none
	 */
	public static String tag(String key) {
		return key.contains("{") ? key : "{" + key + "}";
	}

	/**
	 * Return the channel of a JVM.
	 * @param jvm the first part of the names of its owners
	 * @return the channel
	 */
	public String channel(String jvm) {
		return this.channels + jvm;
	}

	/**
	 * Return a number that two keys share if one script may use both.
	 */
	int group(String key) {
		return this.cluster ? slot(key) : 0;
	}

	/**
	 * Return the slot of a key on a cluster.
	 * @param key the key
	 * @return the slot, from 0 to 16383
	 */
	public static int slot(String key) {
		int start = key.indexOf('{');
		int end = (start >= 0) ? key.indexOf('}', start + 1) : -1;
		String hashed = (end > start + 1) ? key.substring(start + 1, end) : key;
		int crc = 0;
		for (byte each : hashed.getBytes(StandardCharsets.UTF_8)) {
			crc ^= (each & 0xff) << 8;
			for (int bit = 0; bit < 8; bit++) {
				crc = ((crc & 0x8000) != 0) ? (crc << 1) ^ 0x1021 : crc << 1;
			}
			crc &= 0xffff;
		}
		return crc % SLOTS;
	}

	/**
	 * The least number whose tag hashes to each slot. Found when the first key is locked.
	 */
	private static final class Tags {

		static final int[] BY_SLOT = new int[SLOTS];

		static {
			Arrays.fill(BY_SLOT, -1);
			int found = 0;
			for (int i = 0; found < SLOTS; i++) {
				int slot = slot(of(i));
				if (BY_SLOT[slot] < 0) {
					BY_SLOT[slot] = i;
					found++;
				}
			}
		}

		private Tags() {
		}

		/**
		 * Not only digits: others have locks with names such as {@code lock:{42}}.
		 */
		static String of(int number) {
			return '~' + Integer.toString(number, Character.MAX_RADIX);
		}

	}

}
