package io.distributedlock.benchmarks.contention.contender;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * The least that handing over a key costs on Redis, as the limit of a run: a script that
 * takes the key or joins its line; one that takes the first JVM from the line, writes its
 * name into the key and publishes to it. Inside the JVM a fair semaphore passes the key
 * on for a moment. There is nothing that makes a lock safe: no token, deadline, renewal
 * or poll.
 */
final class Prototype implements Contender {

	private static final String TAKE_OR_JOIN = """
			if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', 30000) then return 1 end
			redis.call('rpush', KEYS[2], ARGV[1])
			return 0
			""";

	/**
	 * A JVM with further callers joins the line again in the same step.
	 */
	private static final String HAND_OVER = """
			if ARGV[2] == '1' then redis.call('rpush', KEYS[2], ARGV[1]) end
			local next = redis.call('lpop', KEYS[2])
			if not next then redis.call('del', KEYS[1]) return 0 end
			redis.call('set', KEYS[1], next, 'px', 30000)
			if next == ARGV[1] then return 1 end
			redis.call('publish', next, KEYS[1])
			return 0
			""";

	private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

	private final String name = "jvm:" + UUID.randomUUID();

	private final Map<String, Line> lines = new ConcurrentHashMap<>();

	private final RedisCommands<String, String> redis;

	private final String takeOrJoin;

	private final String handOver;

	Prototype(String url) {
		RedisClient client = RedisClient.create(url);
		this.redis = client.connect().sync();
		this.takeOrJoin = this.redis.scriptLoad(TAKE_OR_JOIN);
		this.handOver = this.redis.scriptLoad(HAND_OVER);
		StatefulRedisPubSubConnection<String, String> messages = client.connectPubSub();
		messages.addListener(new RedisPubSubAdapter<>() {
			@Override
			public void message(String channel, String key) {
				line(key).granted.release();
			}
		});
		messages.sync().subscribe(this.name);
	}

	@Override
	public Hold lock(String key, Duration wait) throws InterruptedException {
		Line line = line(key);
		line.gate.acquire();
		if (line.state == State.NONE && !call(this.takeOrJoin, key, this.name)) {
			line.state = State.IN_LINE;
		}
		if (line.state == State.IN_LINE) {
			line.granted.acquire();
		}
		if (line.state != State.HELD) {
			line.state = State.HELD;
			line.since = System.nanoTime();
		}
		return () -> unlock(key, line);
	}

	private void unlock(String key, Line line) {
		boolean further = line.gate.hasQueuedThreads();
		if (!further || System.nanoTime() - line.since > WINDOW_NANOS) {
			if (call(this.handOver, key, this.name, further ? "1" : "0")) {
				line.since = System.nanoTime();
			}
			else {
				line.state = further ? State.IN_LINE : State.NONE;
			}
		}
		line.gate.release();
	}

	private boolean call(String script, String key, String... arguments) {
		Long answer = this.redis.evalsha(script, ScriptOutputType.INTEGER, new String[] { key, key + ":line" },
				arguments);
		return answer == 1;
	}

	private Line line(String key) {
		return this.lines.computeIfAbsent(key, (name) -> new Line());
	}

	private enum State {

		NONE, IN_LINE, HELD

	}

	/**
	 * What this JVM knows of a key. Who has passed the gate may change it.
	 */
	private static final class Line {

		private final Semaphore gate = new Semaphore(1, true);

		private final Semaphore granted = new Semaphore(0);

		private State state = State.NONE;

		private long since;

	}

}
