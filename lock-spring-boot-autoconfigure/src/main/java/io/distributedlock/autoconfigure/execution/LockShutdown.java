package io.distributedlock.autoconfigure.execution;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockActivity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Lets the holders of locks finish when the application shuts down: after web servers,
 * listeners and executors have let their work finish, and before clients are closed.
 */
final class LockShutdown implements SmartLifecycle {

	/**
	 * Below web servers and executors, which stop before; above connection factories.
	 */
	static final int PHASE = Integer.MAX_VALUE / 4;

	private static final Logger logger = LoggerFactory.getLogger(LockShutdown.class);

	private final List<DefaultLockTemplate> templates;

	private final Duration timeout;

	private volatile boolean running;

	LockShutdown(List<DefaultLockTemplate> templates, Duration timeout) {
		this.templates = templates;
		this.timeout = timeout;
	}

	@Override
	public void start() {
		// a context that was paused or stopped may start again
		this.templates.forEach(DefaultLockTemplate::resume);
		this.running = true;
	}

	@Override
	public void stop() {
		drain().join();
	}

	@Override
	public void stop(Runnable callback) {
		drain().whenComplete((done, never) -> callback.run());
	}

	private CompletableFuture<Void> drain() {
		this.running = false;
		return CompletableFuture.allOf(this.templates.stream().map(this::drain).toArray(CompletableFuture<?>[]::new));
	}

	private CompletableFuture<Boolean> drain(DefaultLockTemplate drained) {
		return drained.drain().orTimeout(this.timeout.toMillis(), TimeUnit.MILLISECONDS).handle((done, failure) -> {
			List<String> held = drained.activity().held().stream().map(LockActivity.Held::key).toList();
			if (failure != null && !held.isEmpty()) {
				logger.warn(
						"Locks are still held {} ms after the shutdown began, and are lost when it goes on: {}. Set lock.shutdown-timeout to give their holders more time",
						this.timeout.toMillis(), held);
			}
			return failure == null;
		});
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * A context that pauses is not shut down: its holders keep what they have.
	 */
	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
