package io.distributedlock.autoconfigure.redis;

import java.lang.reflect.Field;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import org.redisson.Redisson;
import org.redisson.config.Config;

import org.springframework.util.ReflectionUtils;

/**
 * Creates Redisson clients for locks. Their threads are daemons, as those of all other
 * clients: an application that ends with its work, such as a job, ends with locks, too.
 */
final class RedissonClients {

	private static final String NAME = "redisson";

	private RedissonClients() {
	}

	static Redisson create(Config config) {
		config.setNettyExecutor(new ThreadPerTaskExecutor(new DefaultThreadFactory(NAME + "-netty", true)));
		config.setExecutor(executor(config.getThreads()));
		Redisson client = (Redisson) Redisson.create(config);
		endWithTheJvm(client.getServiceManager().getTimer());
		return client;
	}

	/**
	 * Return a pool that nobody needs to shut down, since Redisson does not.
	 */
	private static ThreadPoolExecutor executor(int threads) {
		// zero has this meaning in a file of Redisson
		int size = (threads > 0) ? threads : Runtime.getRuntime().availableProcessors() * 2;
		ThreadPoolExecutor executor = new ThreadPoolExecutor(size, size, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), new DefaultThreadFactory(NAME, true));
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/**
	 * Make the thread of the timer a daemon, for which Redisson has no setting. It has
	 * not begun, since the client connects later.
	 */
	private static void endWithTheJvm(HashedWheelTimer timer) {
		Field thread = ReflectionUtils.findField(HashedWheelTimer.class, "workerThread", Thread.class);
		if (thread != null && thread.trySetAccessible()
				&& ReflectionUtils.getField(thread, timer) instanceof Thread worker && !worker.isAlive()) {
			worker.setDaemon(true);
		}
	}

}
