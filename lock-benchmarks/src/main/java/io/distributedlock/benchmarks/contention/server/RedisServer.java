package io.distributedlock.benchmarks.contention.server;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.test.server.RedisTestServer;

/**
 * A Redis server, and what it counts itself.
 *
 * @param redis the server
 */
record RedisServer(RedisTestServer redis) implements Server {

	private static final Map<String, String> NAMES = Map.of("total_commands_processed", COMMANDS,
			"total_reads_processed", READS, "total_net_input_bytes", BYTES);

	private static final Pattern LINE = Pattern.compile("(\\w+):(\\d+)\\r?\\n");

	@Override
	public String url() {
		return this.redis.url();
	}

	@Override
	public void clear() {
		this.redis.command("FLUSHALL");
	}

	@Override
	public Map<String, Long> counters() {
		Map<String, Long> counters = new HashMap<>();
		Matcher line = LINE.matcher(String.valueOf(this.redis.command("INFO", "stats")));
		while (line.find()) {
			String name = NAMES.get(line.group(1));
			if (name != null) {
				counters.put(name, Long.valueOf(line.group(2)));
			}
		}
		Map<String, Long> calls = this.redis.commandCalls();
		counters.put(SCRIPTS, calls.getOrDefault("eval", 0L) + calls.getOrDefault("evalsha", 0L));
		counters.put(KEYS, Long.valueOf(String.valueOf(this.redis.command("DBSIZE"))));
		return counters;
	}

	@Override
	public void close() {
		this.redis.close();
	}

}
