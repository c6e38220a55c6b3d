package io.distributedlock.redis.scripts.script;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * What a server of Redis, or a service in front of it, does not have or denies the user,
 * although locks would use it. They work without it. Each shortfall is said once in the
 * log. Thread-safe.
 *
 * @since 0.1
 */
public final class Shortfalls {

	/**
	 * What scripts answer if the server has published nothing.
	 */
	private static final long UNHEARD = 2;

	private final Set<Shortfall> found = ConcurrentHashMap.newKeySet();

	private final Consumer<String> log;

	/**
	 * Create an object for one provider.
	 * @param log receives a sentence about each shortfall
	 */
	public Shortfalls(Consumer<String> log) {
		this.log = log;
	}

	/**
	 * Note what a script has answered that publishes.
	 * @param answer 2 if the server has published nothing
	 */
	public void noteAnswer(long answer) {
		if (answer == UNHEARD) {
			note(Shortfall.PUBLISH, "");
		}
	}

	/**
	 * Note that the server has refused something.
	 * @param refused what it has refused
	 * @param words the words of the server, empty if they are not known
	 */
	public void note(Shortfall refused, String words) {
		if (this.found.add(refused)) {
			this.log.accept("Redis refuses %s: %s.%s%s".formatted(refused, refused.cost,
					refused.rights.isEmpty() ? "" : " Grant " + refused.rights + " if the user lacks the right.",
					words.isEmpty() ? "" : " Redis says: " + words));
		}
	}

	/**
	 * Return whether the server has refused something.
	 * @param shortfall what it may have refused
	 * @return {@code true} if it was {@linkplain #note noted}
	 */
	public boolean has(Shortfall shortfall) {
		return this.found.contains(shortfall);
	}

	/**
	 * What locks can do without.
	 */
	public enum Shortfall {

		/**
		 * Releases are told to nobody.
		 */
		PUBLISH("calls that wait learn of a release only when they poll",
				"+publish, on some clusters +spublish, and the channels"),

		/**
		 * Releases are heard by nobody.
		 */
		SUBSCRIBE("calls that wait for a lock poll", "+subscribe +unsubscribe and the channels"),

		/**
		 * Scripts cannot be called by their digests.
		 */
		EVALSHA("each command carries its whole script, some kilobytes", "+evalsha +script|load"),

		/**
		 * Scripts cannot use a key that is not among their parameters.
		 */
		UNDECLARED_KEYS("a reader that dies keeps its lock until the longest lease of all its readers ends", ""),

		/**
		 * Replicas do not confirm a lock.
		 */
		WAIT("a new lock is not confirmed by a replica, so a failover loses it more often", "+wait");

		private final String cost;

		private final String rights;

		Shortfall(String cost, String rights) {
			this.cost = cost;
			this.rights = rights;
		}

	}

}
