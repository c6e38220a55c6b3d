package io.distributedlock.redisson.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.redisson.internal.client.RedissonErrors.NotSentException;
import io.distributedlock.spi.support.DaemonThreads;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a client that connects lazily from blocking callers. Such a client connects in
 * its first command, on the thread that sends it. Until a command has succeeded, commands
 * are sent on two threads of this class.
 */
public final class FirstConnection implements AutoCloseable {

	private static final int THREADS = 2;

	/**
	 * Further commands fail immediately: while Redis is down, a queue without a limit
	 * could fill the memory.
	 */
	private static final int MAX_QUEUED = 1000;

	private final ThreadPoolExecutor threads;

	private volatile boolean made;

	public FirstConnection() {
		this.threads = new ThreadPoolExecutor(THREADS, THREADS, 5, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(MAX_QUEUED), new DaemonThreads("lock-redisson-connect"));
		this.threads.allowCoreThreadTimeOut(true);
	}

	public <T extends @Nullable Object> CompletionStage<T> call(Supplier<CompletionStage<T>> command) {
		if (this.made) {
			return now(command);
		}
		try {
			CompletableFuture<CompletionStage<T>> sent = CompletableFuture.supplyAsync(command, this.threads);
			return sent.thenCompose(Function.identity()).whenComplete((answer, failure) -> {
				if (failure == null) {
					this.made = true;
				}
			});
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture
				.failedFuture(new NotSentException("Redis cannot be reached: check its address and that it runs", ex));
		}
	}

	/**
	 * Send a command on this thread. A client that cannot connect throws; the stage fails
	 * instead.
	 */
	private static <T extends @Nullable Object> CompletionStage<T> now(Supplier<CompletionStage<T>> command) {
		try {
			return command.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
