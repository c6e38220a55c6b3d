package io.distributedlock.application;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Lock;

import javax.sql.DataSource;

import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.LockExecutor;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.executor.RedissonLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.klock.lock.ReentrantLock;
import org.springframework.boot.autoconfigure.klock.model.LockInfo;
import org.springframework.boot.autoconfigure.klock.model.LockType;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * The locks of other libraries, at a full key. Those that ask at intervals do so at the
 * interval that is given.
 */
final class OldLocks {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration WAIT = Duration.ofMinutes(1);

	private static final String SHEDLOCK_PREFIX = "job-lock:default:";

	private static final String DELETE_OWN = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

	private OldLocks() {
	}

	static Locking lock4jTemplate(String url, String key, Duration interval) throws Exception {
		Lock4jProperties properties = new Lock4jProperties();
		properties.setRetryInterval(interval.toMillis());
		return lock4j(new RedisTemplateLockExecutor(new StringRedisTemplate(connections(url)), properties), properties,
				key);
	}

	static Locking lock4jRedisson(String url, String key) throws Exception {
		return lock4j(new RedissonLockExecutor(Clients.redisson(url)), new Lock4jProperties(), key);
	}

	private static Locking lock4j(LockExecutor<?> executor, Lock4jProperties properties, String key) throws Exception {
		LockTemplate template = new LockTemplate();
		template.setProperties(properties);
		template.setExecutors(List.of(executor));
		template.afterPropertiesSet();
		return () -> {
			com.baomidou.lock.LockInfo lock = template.lock(key, LEASE.toMillis(), WAIT.toMillis());
			if (lock == null) {
				throw new IllegalStateException("lock4j did not acquire the lock");
			}
			return () -> template.releaseLock(lock);
		};
	}

	/**
	 * ShedLock on Redis. With a safe update only the owner deletes the key.
	 */
	static Locking shedLock(String url, String key, Duration interval, boolean safeUpdate) {
		if (!key.startsWith(SHEDLOCK_PREFIX)) {
			throw new IllegalArgumentException(key);
		}
		RedisLockProvider provider = new RedisLockProvider.Builder(connections(url)).safeUpdate(safeUpdate).build();
		return shedLock(provider, key.substring(SHEDLOCK_PREFIX.length()), interval);
	}

	static Locking shedLockTable(String url, String key, Duration interval) {
		return shedLock(new JdbcTemplateLockProvider(Clients.pool(url)), key, interval);
	}

	private static Locking shedLock(LockProvider provider, String name, Duration interval) {
		return () -> {
			while (true) {
				Optional<SimpleLock> lock = provider
					.lock(new LockConfiguration(Instant.now(), name, LEASE, Duration.ZERO));
				if (lock.isPresent()) {
					return lock.get()::unlock;
				}
				Thread.sleep(interval.toMillis());
			}
		};
	}

	static Locking springIntegration(String url, String key, Duration interval, RedisLockType type) {
		int colon = key.indexOf(':');
		RedisLockRegistry registry = new RedisLockRegistry(connections(url), key.substring(0, colon), LEASE);
		registry.setIdleBetweenTries(interval);
		registry.setRedisLockType(type);
		return lock(registry.obtain(key.substring(colon + 1)));
	}

	static Lock intLock(String url, String key) {
		DataSource pool = Clients.pool(url);
		DefaultLockRepository repository = new DefaultLockRepository(pool);
		repository.setTransactionManager(new DataSourceTransactionManager(pool));
		repository.afterPropertiesSet();
		repository.afterSingletonsInstantiated();
		return new JdbcLockRegistry(repository, LEASE).obtain(key);
	}

	static Locking setNx(String url, String key, Duration interval) {
		RedisCommands<String, String> redis = RedisClient.create(url).connect().sync();
		return () -> {
			String owner = UUID.randomUUID().toString();
			while (redis.set(key, owner, SetArgs.Builder.nx().px(LEASE.toMillis())) == null) {
				Thread.sleep(interval.toMillis());
			}
			return () -> redis.eval(DELETE_OWN, ScriptOutputType.INTEGER, new String[] { key }, owner);
		};
	}

	/**
	 * Redisson by hand, renewed by its watchdog.
	 */
	static Locking redisson(String url, String key) {
		return lock(Clients.redisson(url).getLock(key));
	}

	static Locking redissonSpin(String url, String key) {
		return lock(Clients.redisson(url).getSpinLock(key));
	}

	/**
	 * The lock of klock, without its annotation, which needs an older Spring Boot.
	 */
	static Locking klock(String url, String key) {
		RedissonClient client = Clients.redisson(url);
		return () -> {
			ReentrantLock lock = new ReentrantLock(client,
					new LockInfo(LockType.Reentrant, key, WAIT.toSeconds(), WAIT.toSeconds()));
			if (!lock.acquire()) {
				throw new IllegalStateException("klock did not acquire the lock");
			}
			return lock::release;
		};
	}

	static Locking curator(String url, String path) {
		InterProcessMutex mutex = new InterProcessMutex(Clients.zooKeeper(url), path);
		return () -> {
			mutex.acquire();
			return mutex::release;
		};
	}

	static Locking lock(Lock lock) {
		return () -> {
			lock.lock();
			return lock::unlock;
		};
	}

	private static LettuceConnectionFactory connections(String url) {
		RedisURI uri = RedisURI.create(url);
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()));
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

}
