package io.distributedlock.benchmarks.contention.contender;

import java.util.Set;

/**
 * A contender by its name.
 *
 * @param name the name on the command line and in the results
 * @param title the name in the tables
 * @param backend the backend
 * @param traits what distinguishes it
 * @param opening creates it
 */
public record Candidate(String name, String title, Backend backend, Set<Trait> traits, Opening opening) {

	public Contender open(String url) throws Exception {
		return this.opening.open(url);
	}

	/**
	 * Return the title without the signs of Markdown.
	 */
	public String plainTitle() {
		return this.title.replaceAll("[`*]", "");
	}

	public boolean is(Trait trait) {
		return this.traits.contains(trait);
	}

	/**
	 * What distinguishes a contender.
	 */
	public enum Trait {

		/**
		 * Does not wait for the answer to a release.
		 */
		ASYNC_RELEASE,

		/**
		 * This library's.
		 */
		OURS,

		/**
		 * Does not lock at all. It shows that a check can fail.
		 */
		CONTROL,

		/**
		 * Serves callers in the order of their arrival.
		 */
		FAIR,

		/**
		 * A limit: the same work without what makes it safe or general.
		 */
		LIMIT,

		/**
		 * Waits for as long as it takes.
		 */
		NO_TIME_OUT,

		/**
		 * Cannot wait, or does so by asking again only.
		 */
		NO_WAITING,

		/**
		 * A holder can acquire the lock again.
		 */
		REENTRANT,

		/**
		 * Renews the lease of a held lock.
		 */
		RENEWED

	}

	/**
	 * Creates a contender and its client.
	 */
	@FunctionalInterface
	interface Opening {

		Contender open(String url) throws Exception;

	}

}
