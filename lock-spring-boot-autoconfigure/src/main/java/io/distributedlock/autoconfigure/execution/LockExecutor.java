package io.distributedlock.autoconfigure.execution;

import java.util.concurrent.Executor;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.LockProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * The executor for code of the application. It is not an {@link Executor} bean itself:
 * Spring Boot would then not configure the one of the application.
 *
 * @param threads the executor, {@code null} for threads of the template
 * @param own the pool to shut down, if it was made for locks
 */
record LockExecutor(@Nullable Executor threads, @Nullable ThreadPoolTaskExecutor own) implements DisposableBean {

	static LockExecutor of(LockProperties.Executor properties, ObjectProvider<Executor> ofApplication) {
		if (properties.queueCapacity() < 0) {
			throw new InvalidLockSetupException(
					"lock.executor.queue-capacity must not be negative but is " + properties.queueCapacity(),
					"Set it to 0 for no queue, or to how many tasks may wait for the threads.", null);
		}
		Integer threads = properties.threads();
		if (threads == null) {
			return new LockExecutor(ofApplication.getIfAvailable(), null);
		}
		if (threads < 1) {
			throw new InvalidLockSetupException("lock.executor.threads must be at least 1 but is " + threads,
					"Set it to at least 1, or leave it out: then the threads of the application are used.", null);
		}
		ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
		pool.setThreadNamePrefix("lock-executor-");
		pool.setCorePoolSize(threads);
		pool.setMaxPoolSize(threads);
		pool.setAllowCoreThreadTimeOut(true);
		pool.setQueueCapacity(properties.queueCapacity());
		// also while the context closes, as holders finish then
		pool.setAcceptTasksAfterContextClose(true);
		pool.initialize();
		return new LockExecutor(pool, pool);
	}

	@Override
	public void destroy() {
		if (this.own != null) {
			this.own.shutdown();
		}
	}

}
