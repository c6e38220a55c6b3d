package io.distributedlock.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.spi.support.DelayedTasks;

/**
 * Ends commands that are not answered in time. A timer for each command would wake a
 * thread for each command, which costs as much as a third of the command. So all commands
 * that are under way are looked at together, some times in a second, and only while there
 * are any. A command may thus end a little late. Thread-safe.
 */
final class CommandTimeouts {

	private static final Duration INTERVAL = Duration.ofMillis(20);

	private static final Set<Command<?>> underWay = ConcurrentHashMap.newKeySet();

	private static final AtomicBoolean looking = new AtomicBoolean();

	private CommandTimeouts() {
	}

	/**
	 * Return a future that completes as another one, or fails with
	 * {@link TimeoutException}.
	 * @param answer the answer to a command, which is not changed
	 * @param untilNanos when to fail
	 */
	static <T> CompletableFuture<T> limit(CompletableFuture<T> answer, long untilNanos) {
		Command<T> command = new Command<>(untilNanos);
		underWay.add(command);
		lookLater();
		answer.whenComplete((value, failure) -> {
			underWay.remove(command);
			if (failure != null) {
				command.completeExceptionally(failure);
			}
			else {
				command.complete(value);
			}
		});
		return command;
	}

	private static void lookLater() {
		if (!looking.get() && looking.compareAndSet(false, true)) {
			DelayedTasks.after(INTERVAL).execute(CommandTimeouts::look);
		}
	}

	private static void look() {
		looking.set(false);
		long now = System.nanoTime();
		underWay.stream().filter((command) -> command.untilNanos - now <= 0).toList().forEach((command) -> {
			underWay.remove(command);
			command.completeExceptionally(new TimeoutException());
		});
		if (!underWay.isEmpty()) {
			lookLater();
		}
	}

	/**
	 * The answer to a command, or its time-out.
	 */
	private static final class Command<T> extends CompletableFuture<T> {

		private final long untilNanos;

		private Command(long untilNanos) {
			this.untilNanos = untilNanos;
		}

	}

}
