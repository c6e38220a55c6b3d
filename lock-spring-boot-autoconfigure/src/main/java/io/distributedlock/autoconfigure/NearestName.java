package io.distributedlock.autoconfigure;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds the name that somebody meant who misspelled it.
 */
final class NearestName {

	/**
	 * With more edits two names of providers, such as redis and redlock, get confused.
	 */
	private static final int MOST_EDITS = 2;

	private NearestName() {
	}

	/**
	 * Return the known name that is nearest to a text, whatever the case of its letters.
	 * @return the name, empty if none is near
	 */
	static Optional<String> of(String text, Collection<String> known) {
		String lower = text.trim().toLowerCase(Locale.ROOT);
		return known.stream()
			.filter((name) -> edits(lower, name.toLowerCase(Locale.ROOT)) <= MOST_EDITS)
			.min(Comparator.comparingInt((name) -> edits(lower, name.toLowerCase(Locale.ROOT))));
	}

	/**
	 * Return how many letters have to be added, removed or replaced to make one text of
	 * the other (Levenshtein).
	 */
	private static int edits(String from, String to) {
		int[] row = new int[to.length() + 1];
		for (int j = 0; j <= to.length(); j++) {
			row[j] = j;
		}
		for (int i = 1; i <= from.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j <= to.length(); j++) {
				int above = row[j];
				int replaced = diagonal + ((from.charAt(i - 1) != to.charAt(j - 1)) ? 1 : 0);
				row[j] = Math.min(replaced, Math.min(above, row[j - 1]) + 1);
				diagonal = above;
			}
		}
		return row[to.length()];
	}

}
