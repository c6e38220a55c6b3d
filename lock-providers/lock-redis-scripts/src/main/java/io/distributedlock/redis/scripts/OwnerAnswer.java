package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import io.distributedlock.LockType;
import io.distributedlock.spi.LockOwner;

/**
 * The answer of a script that lists owners: for each of them its name, its lock type, and
 * how many milliseconds its lease still runs, or a number below zero if it has no end.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 *
 * @since 0.1
 */
public final class OwnerAnswer {

	private static final int FIELDS = 3;

	private OwnerAnswer() {
	}

	/**
	 * Read an answer.
	 * @param answer what the script has answered
	 * @return the owners
	 */
	public static List<LockOwner> read(List<String> answer) {
		List<LockOwner> owners = new ArrayList<>(answer.size() / FIELDS);
		for (int i = 0; i < answer.size(); i += FIELDS) {
			long millis = Long.parseLong(answer.get(i + 2));
			owners.add(new LockOwner(answer.get(i), LockType.valueOf(answer.get(i + 1)), OptionalLong.empty(),
					(millis < 0) ? Optional.empty() : Optional.of(Duration.ofMillis(millis))));
		}
		return owners;
	}

}
