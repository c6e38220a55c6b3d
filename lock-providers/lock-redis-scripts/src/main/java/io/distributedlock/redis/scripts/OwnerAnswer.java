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

	/**
	 * The part of such a script that adds an owner to its answer.
	 */
	public static final String ADD = """
			local answer = {}
			local function add(owner, kind, left)
			  local n = #answer
			  answer[n + 1], answer[n + 2], answer[n + 3] = owner, kind, string.format('%.0f', left)
			end
			""";

	/**
	 * The part of such a script that adds owners who are in a set, sorted by the ends of
	 * their leases. Those whose lease has expired are left out. Code that uses Redisson
	 * by hand has one number for a permit without an end.
	 */
	public static final String ADD_ALL = ADD + """
			local function add_all(set, kind)
			  local time = redis.call('time')
			  local now = time[1] * 1000 + math.floor(time[2] / 1000)
			  local owners = redis.call('zrange', set, 0, -1, 'WITHSCORES')
			  for i = 1, #owners, 2 do
			    local till = tonumber(owners[i + 1])
			    if till > now then add(owners[i], kind, till < 922337203685477 and till - now or -1) end
			  end
			end
			""";

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
