package io.distributedlock.benchmarks.soak;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import io.distributedlock.test.server.RedisTestServer;

/**
 * One Redis server. It writes its data to disk before it answers, so that it loses
 * nothing when it is killed.
 */
final class SoakRedis implements SoakServer {

	/**
	 * One step of a scan, which counts keys by their family: the name without numbers and
	 * ids. Keys without an expiry are counted separately, because they would stay
	 * forever.
	 */
	private static final String COUNT_KEYS = """
			local counts = {}
			local step = redis.call('SCAN', ARGV[1], 'COUNT', 1000)
			for _, key in ipairs(step[2]) do
				local family = key:gsub('[%x%-]*%d[%x%-]*', '#')
				if redis.call('PTTL', key) < 0 then
					family = 'keys without expiry ' .. family
				else
					family = 'keys ' .. family
				end
				counts[family] = (counts[family] or 0) + 1
			end
			local answer = { step[1] }
			for family, count in pairs(counts) do
				table.insert(answer, family)
				table.insert(answer, tostring(count))
			end
			return answer
			""";

	/**
	 * The counters of fencing tokens outlive their locks, for a day as the documentation
	 * says.
	 */
	private static final Pattern EXPIRING_COUNTER = Pattern.compile("keys (?!without expiry).*token.*");

	private final String provider;

	private final RedisTestServer server = RedisTestServer.runDurable();

	SoakRedis(String provider) {
		this.provider = provider;
	}

	@Override
	public List<String> arguments() {
		return List.of(this.provider, this.server.url());
	}

	@Override
	public boolean kill() {
		this.server.kill();
		return true;
	}

	@Override
	public void start() {
		this.server.start();
	}

	@Override
	public Map<String, Long> remains() {
		Map<String, Long> remains = new TreeMap<>();
		String cursor = "0";
		do {
			List<?> counts = list("EVAL", COUNT_KEYS, "0", cursor);
			cursor = String.valueOf(counts.get(0));
			for (int i = 1; i < counts.size(); i += 2) {
				String family = String.valueOf(counts.get(i));
				boolean expiring = EXPIRING_COUNTER.matcher(family).matches();
				remains.merge(expiring ? COUNTERS + family : family, Long.valueOf(String.valueOf(counts.get(i + 1))),
						Long::sum);
			}
		}
		while (!cursor.equals("0"));
		remains.put("channels", (long) list("PUBSUB", "CHANNELS").size());
		String clients = String.valueOf(this.server.command("INFO", "clients"));
		remains.put("connections", Long.valueOf(clients.replaceAll("(?s).*connected_clients:(\\d+).*", "$1")));
		return remains;
	}

	@Override
	public void close() {
		this.server.close();
	}

	private List<?> list(String... command) {
		return (this.server.command(command) instanceof List<?> answer) ? answer : List.of();
	}

}
