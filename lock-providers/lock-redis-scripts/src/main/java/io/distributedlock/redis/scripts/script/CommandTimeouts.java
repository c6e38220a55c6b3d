package io.distributedlock.redis.scripts.script;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Ends commands that are not answered in time. A timer for each command would wake a
 * thread for each command, which costs as much as a third of the command. So all commands
 * that are under way are looked at together, several times before the first of them is
 * late, and only while there are any. A command may thus end a little late. Thread-safe.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 *
 * @since 0.1
 */
public final class CommandTimeouts {

	/**
	 * How late a command may end, in nanoseconds.
	 */
	public static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	/**
	 * The next look comes after this part of the time that a command has left.
	 */
	private static final int PART_OF_TIME_LEFT = 16;

	private static final Set<Command<?>> underWay = ConcurrentHashMap.newKeySet();

	/**
	 * When the commands are looked at next; {@code null} while there are none.
	 */
	private static final AtomicReference<@Nullable Look> nextLook = new AtomicReference<>();

	private CommandTimeouts() {
	}

	/**
	 * Return a future that completes as another one, or fails with
	 * {@link TimeoutException}.
	 * @param <T> the type of the answer
	 * @param answer the answer to a command, which is cancelled when it is late. The
	 * client may still keep the command until it is connected, and send or repeat it then
	 * @param untilNanos when to fail
	 * @return the future
	 */
	public static <T> CompletableFuture<T> limit(CompletableFuture<T> answer, long untilNanos) {
		Command<T> command = new Command<>(answer, untilNanos);
		underWay.add(command);
		lookBy(untilNanos, System.nanoTime());
		answer.whenComplete((value, failure) -> {
			if (underWay.remove(command)) {
				Failures.settle(command, value, failure);
			}
		});
		return command;
	}

	/**
	 * Look so soon that a command is not noticed late.
	 */
	private static void lookBy(long untilNanos, long now) {
		long delay = Math.max((untilNanos - now) / PART_OF_TIME_LEFT, LATE_NANOS);
		for (Look planned = nextLook.get(); planned == null
				|| now + delay - planned.atNanos < 0; planned = nextLook.get()) {
			Look look = new Look(now + delay);
			if (nextLook.compareAndSet(planned, look)) {
				start(look, delay);
				return;
			}
		}
	}

	private static void start(Look look, long delay) {
		try {
			DelayedTasks.after(Duration.ofNanos(delay)).execute(() -> look(look));
		}
		catch (Throwable ex) {
			// the JVM had no thread or no memory for it; the next command plans it again
			nextLook.compareAndSet(look, null);
			throw ex;
		}
	}

	private static void look(Look planned) {
		nextLook.compareAndSet(planned, null);
		long now = System.nanoTime();
		List<Command<?>> late = underWay.stream().filter((command) -> command.untilNanos - now <= 0).toList();
		late.forEach((command) -> {
			if (underWay.remove(command)) {
				command.answer.cancel(false);
				command.completeExceptionally(new TimeoutException());
			}
		});
		underWay.forEach((command) -> lookBy(command.untilNanos, now));
	}

	private record Look(long atNanos) {
	}

	/**
	 * The answer to a command, or its time-out.
	 */
	private static final class Command<T> extends CompletableFuture<T> {

		private final CompletableFuture<T> answer;

		private final long untilNanos;

		private Command(CompletableFuture<T> answer, long untilNanos) {
			this.answer = answer;
			this.untilNanos = untilNanos;
		}

	}

}
