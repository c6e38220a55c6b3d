package io.distributedlock.application;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.engine.BothLocks;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * The main class of a JVM whose threads take the lock again and again, and count a number
 * up under it, in a file that nothing else protects. Arguments: which lock, the address
 * of the server, the full key, how often an old node asks in milliseconds, the number of
 * threads, and the file. It prints {@code READY}, reads a line with how many milliseconds
 * to work at least, and prints {@code ENOUGH} when they are over and it has had the lock
 * more than ten times: a busy machine takes longer for that. When it has read another
 * line, it ends, and prints {@code DONE} with the number of increments, the longest wait
 * of a call and the longest time without the lock in milliseconds, and the number of
 * calls that failed.
 */
final class Node {

	private static final long SECTION_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private static final int ENOUGH = 10;

	private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);

	private static final long LAST_CALL_MILLIS = 30_000;

	private final Locking locking;

	private final FileChannel number;

	private final AtomicInteger increments = new AtomicInteger();

	private final AtomicLong longestWaitNanos = new AtomicLong();

	private final AtomicLong longestAbsenceNanos = new AtomicLong();

	/**
	 * When a thread has last released the lock.
	 */
	private final AtomicLong releasedNanos = new AtomicLong();

	private final AtomicInteger failures = new AtomicInteger();

	private volatile long endNanos;

	private Node(Locking locking, FileChannel number) {
		this.locking = locking;
		this.number = number;
	}

	@SuppressWarnings("SystemOut")
	public static void main(String[] args) throws Exception {
		Duration interval = Duration.ofMillis(Long.parseLong(args[3]));
		// with a key that no other node uses: connections open, and classes load
		open(args[0], args[1], args[2] + "-" + ProcessHandle.current().pid(), interval).lock().close();
		try (FileChannel number = FileChannel.open(Path.of(args[5]), StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			Node node = new Node(open(args[0], args[1], args[2], interval), number);
			System.out.println("READY");
			node.work(Integer.parseInt(args[4]), Long.parseLong(readLine()));
			System.out
				.println("DONE " + node.increments + " " + TimeUnit.NANOSECONDS.toMillis(node.longestWaitNanos.get())
						+ " " + TimeUnit.NANOSECONDS.toMillis(node.longestAbsenceNanos.get()) + " " + node.failures);
		}
		// some clients have threads that are not daemons
		Runtime.getRuntime().halt(0);
	}

	private static String readLine() throws IOException {
		StringBuilder line = new StringBuilder();
		for (int each = System.in.read(); each != '\n' && each >= 0; each = System.in.read()) {
			line.append((char) each);
		}
		return line.toString();
	}

	private static Locking open(String kind, String url, String key, Duration interval) throws Exception {
		return switch (kind) {
			case "redis" -> NewLocks.redis(url, key, Duration.ZERO);
			case "redis-beside-polling" -> NewLocks.redis(url, key, interval);
			case "redisson" -> NewLocks.redisson(url, key, Duration.ZERO);
			case "redisson-beside-polling" -> NewLocks.redisson(url, key, interval);
			case "jdbc" -> NewLocks.jdbc(url, key);
			case "zookeeper" -> NewLocks.zooKeeper(url, key);
			case "lock4j-template" -> OldLocks.lock4jTemplate(url, key, interval);
			case "lock4j-redisson" -> OldLocks.lock4jRedisson(url, key);
			case "shedlock" -> OldLocks.shedLock(url, key, interval, false);
			case "shedlock-safe-update" -> OldLocks.shedLock(url, key, interval, true);
			case "spring-integration" -> OldLocks.springIntegration(url, key, interval, RedisLockType.SPIN_LOCK);
			case "spring-integration-told" ->
				OldLocks.springIntegration(url, key, interval, RedisLockType.PUB_SUB_LOCK);
			case "set-nx" -> OldLocks.setNx(url, key, interval);
			case "redisson-by-hand" -> OldLocks.redisson(url, key);
			case "redisson-spin" -> OldLocks.redissonSpin(url, key);
			case "klock" -> OldLocks.klock(url, key);
			case "int-lock" -> OldLocks.lock(OldLocks.intLock(url, key));
			case "int-lock-and-jdbc" ->
				OldLocks.lock(new BothLocks(OldLocks.intLock(url, key), NewLocks.jdbcLock(url, key)));
			case "shedlock-table" -> OldLocks.shedLockTable(url, key, interval);
			case "shedlock-table-and-jdbc" -> both(OldLocks.shedLockTable(url, key, interval), NewLocks.jdbc(url, key));
			case "curator" -> OldLocks.curator(url, "/locks/" + key);
			case "curator-and-zookeeper" -> both(OldLocks.curator(url, "/locks/" + key), NewLocks.zooKeeper(url, key));
			default -> throw new IllegalArgumentException(kind);
		};
	}

	private static Locking both(Locking old, Locking ours) {
		return () -> BothLocks.acquire(old::lock, ours::lock);
	}

	@SuppressWarnings("SystemOut")
	private void work(int threads, long millis) throws IOException, InterruptedException {
		long begin = System.nanoTime();
		this.endNanos = begin + LONGEST_NANOS;
		this.releasedNanos.set(begin);
		List<Thread> running = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Thread thread = new Thread(() -> {
				while (System.nanoTime() - this.endNanos < 0) {
					countUp();
				}
			}, "worker-" + i);
			thread.setDaemon(true);
			thread.start();
			running.add(thread);
		}
		long least = begin + TimeUnit.MILLISECONDS.toNanos(millis);
		while (System.nanoTime() - least < 0
				|| (this.increments.get() <= ENOUGH && System.nanoTime() - this.endNanos < 0)) {
			LockSupport.parkNanos(SECTION_NANOS);
		}
		System.out.println("ENOUGH");
		readLine();
		this.endNanos = System.nanoTime();
		for (Thread thread : running) {
			thread.join(LAST_CALL_MILLIS);
			if (thread.isAlive()) {
				this.failures.incrementAndGet();
			}
		}
	}

	private void countUp() {
		try {
			long asked = System.nanoTime();
			AutoCloseable held = this.locking.lock();
			try (held) {
				// who waits at the end has an easier time, as the others stop
				long entered = Math.min(System.nanoTime(), this.endNanos);
				this.longestWaitNanos.accumulateAndGet(entered - asked, Math::max);
				this.longestAbsenceNanos.accumulateAndGet(entered - this.releasedNanos.get(), Math::max);
				long value = read();
				LockSupport.parkNanos(SECTION_NANOS);
				write(value + 1);
				this.increments.incrementAndGet();
				this.releasedNanos.set(System.nanoTime());
			}
		}
		catch (Exception ex) {
			this.failures.incrementAndGet();
			ex.printStackTrace();
		}
	}

	private long read() throws IOException {
		ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES);
		this.number.read(buffer, 0);
		return buffer.flip().getLong();
	}

	private void write(long value) throws IOException {
		this.number.write(ByteBuffer.allocate(Long.BYTES).putLong(value).flip(), 0);
	}

}
