package io.distributedlock.benchmarks.contention.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.LockType;
import io.distributedlock.benchmarks.contention.contender.Candidate.Opening;
import io.distributedlock.benchmarks.contention.contender.Candidate.Trait;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockStrategy;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

import static io.distributedlock.benchmarks.contention.contender.Candidate.Trait.ASYNC_RELEASE;
import static io.distributedlock.benchmarks.contention.contender.Candidate.Trait.CONTROL;
import static io.distributedlock.benchmarks.contention.contender.Candidate.Trait.FAIR;
import static io.distributedlock.benchmarks.contention.contender.Candidate.Trait.LIMIT;
import static io.distributedlock.benchmarks.contention.contender.Candidate.Trait.NO_TIME_OUT;
import static io.distributedlock.benchmarks.contention.contender.Candidate.Trait.NO_WAITING;
import static io.distributedlock.benchmarks.contention.contender.Candidate.Trait.OURS;
import static io.distributedlock.benchmarks.contention.contender.Candidate.Trait.REENTRANT;
import static io.distributedlock.benchmarks.contention.contender.Candidate.Trait.RENEWED;
import static io.distributedlock.jdbc.JdbcLockStrategy.ADVISORY;
import static io.distributedlock.jdbc.JdbcLockStrategy.FOR_UPDATE;
import static io.distributedlock.jdbc.JdbcLockStrategy.VERSION;

/**
 * All contenders.
 */
public final class Candidates {

	/**
	 * Calls that wait for one key of the local provider.
	 */
	public static final String WAITING = "local-waiting";

	private static final List<Candidate> ALL = new ArrayList<>();

	static {
		add("redis", "provider `redis`", Backend.REDIS, (url) -> Ours.redis(url, LockType.EXCLUSIVE), OURS, REENTRANT);
		add("redisson", "provider `redisson`", Backend.REDIS, (url) -> Ours.redisson(url, LockType.EXCLUSIVE), OURS,
				REENTRANT);
		add("redis-async-release", "provider `redis`, asynchronous release", Backend.REDIS, Ours::redisAsyncRelease,
				OURS, ASYNC_RELEASE);
		add("redisson-async-release", "provider `redisson`, asynchronous release", Backend.REDIS,
				Ours::redissonAsyncRelease, OURS, ASYNC_RELEASE);
		add("redis-fair", "provider `redis`, `FAIR`", Backend.REDIS, (url) -> Ours.redis(url, LockType.FAIR), OURS,
				FAIR);
		add("redisson-fair", "provider `redisson`, `FAIR`", Backend.REDIS, (url) -> Ours.redisson(url, LockType.FAIR),
				OURS, FAIR);
		add("redisson-lock", "Redisson by hand", Backend.REDIS, (url) -> Peers.redissonLock(url, false), REENTRANT);
		add("redisson-fenced-lock", "Redisson, fenced lock", Backend.REDIS, Peers::redissonFenced);
		add("redisson-spin-lock", "Redisson, spin lock", Backend.REDIS, Peers::redissonSpin);
		add("redisson-fair-lock", "Redisson, fair lock", Backend.REDIS, (url) -> Peers.redissonLock(url, true), FAIR);
		add("lock4j-redisson", "lock4j, Redisson", Backend.REDIS, Peers::lock4jRedisson, REENTRANT);
		add("lock4j-template", "lock4j, RedisTemplate", Backend.REDIS, Peers::lock4jTemplate);
		add("spring-spin", "Spring Integration, spin lock", Backend.REDIS,
				(url) -> Peers.springIntegration(url, RedisLockType.SPIN_LOCK), REENTRANT);
		add("spring-pubsub", "Spring Integration, pub/sub", Backend.REDIS,
				(url) -> Peers.springIntegration(url, RedisLockType.PUB_SUB_LOCK), REENTRANT);
		add("shedlock", "ShedLock, asked each ms", Backend.REDIS, Peers::shedLock, NO_WAITING);
		add("by-hand", "*limit: `SET NX PX` and script by hand*", Backend.REDIS, ByHand::plain, LIMIT, NO_WAITING);
		add("by-hand-fenced", "*limit: the same with a fencing token*", Backend.REDIS, ByHand::fenced, LIMIT,
				NO_WAITING);
		add("prototype", "*limit: bare hand-over*", Backend.REDIS, Prototype::new, LIMIT);
		add("reentrant-lock", "*limit: fair `ReentrantLock`*", Backend.JVM, (url) -> reentrantLock(), LIMIT);
		add("redis-renewed", "provider `redis`", Backend.REDIS, Ours::redisRenewed, OURS, RENEWED);
		add("redisson-renewed", "provider `redisson`", Backend.REDIS, Ours::redissonRenewed, OURS, RENEWED);
		add("redisson-lock-renewed", "Redisson by hand", Backend.REDIS, Peers::redissonRenewed, RENEWED);
		add("local", "held, provider `local`", Backend.JVM, (url) -> Ours.local(), OURS, RENEWED);
		add(WAITING, "waiting `acquireAsync`, provider `local`", Backend.JVM, (url) -> Ours.local(), OURS, RENEWED);
		add("etcd", "provider `etcd`", Backend.ETCD, Coordination::etcd, OURS);
		add("etcd-lock", "`Lock` of jetcd", Backend.ETCD, Coordination::etcdLock, NO_TIME_OUT);
		add("etcd-prototype", "*limit: bare line*", Backend.ETCD, EtcdPrototype::new, LIMIT);
		add("zookeeper", "provider `zookeeper`", Backend.ZOOKEEPER, Coordination::zooKeeper, OURS);
		add("curator-mutex", "`InterProcessMutex` of Curator", Backend.ZOOKEEPER, Coordination::curatorMutex);
		add("zookeeper-prototype", "*limit: bare line*", Backend.ZOOKEEPER, ZooKeeperPrototype::new, LIMIT);
		database("postgresql", Backend.POSTGRESQL, JdbcDialect.POSTGRESQL, ADVISORY, FOR_UPDATE, VERSION);
		add("postgresql-session-lock", "`pg_advisory_lock` by hand", Backend.POSTGRESQL,
				(url) -> Database.sessionLocks(url, "select pg_advisory_lock(hashtextextended(?, 0))",
						"select pg_advisory_unlock(hashtextextended(?, 0))"),
				LIMIT);
		database("h2", Backend.H2, JdbcDialect.H2, FOR_UPDATE, VERSION);
		database("mariadb", Backend.MARIADB, JdbcDialect.MARIADB, ADVISORY, FOR_UPDATE, VERSION);
		add("mariadb-session-lock", "`GET_LOCK` by hand", Backend.MARIADB,
				(url) -> Database.sessionLocks(url, "select get_lock(?, 300)", "select release_lock(?)"), LIMIT);
		add("memcached", "provider `memcached`", Backend.MEMCACHED, Coordination::memcached, OURS);
		add("no-lock", "*control: no lock at all*", Backend.JVM, (url) -> (key, wait) -> () -> {
			// nothing was locked
		}, CONTROL);
	}

	private Candidates() {
	}

	public static List<Candidate> all() {
		return List.copyOf(ALL);
	}

	public static Candidate named(String name) {
		return ALL.stream()
			.filter((candidate) -> candidate.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no contender '%s'. There are: %s".formatted(name,
					ALL.stream().map(Candidate::name).toList())));
	}

	private static void add(String name, String title, Backend backend, Opening opening, Trait... traits) {
		ALL.add(new Candidate(name, title, backend, Set.of(traits), opening));
	}

	/**
	 * Add the contenders of a database.
	 * @param strategies those that it offers beside {@link JdbcLockStrategy#ROW}
	 */
	private static void database(String name, Backend backend, JdbcDialect dialect, JdbcLockStrategy... strategies) {
		add(name, "provider `jdbc`, strategy `row`", backend,
				(url) -> Database.ours(url, dialect, JdbcLockStrategy.ROW, LockType.EXCLUSIVE), OURS);
		for (JdbcLockStrategy strategy : strategies) {
			String words = strategy.name().toLowerCase(Locale.ROOT).replace('_', '-');
			add(name + "-" + words, "provider `jdbc`, strategy `" + words + "`", backend,
					(url) -> Database.ours(url, dialect, strategy, LockType.EXCLUSIVE), OURS);
		}
		add(name + "-fair", "provider `jdbc`, `FAIR`", backend,
				(url) -> Database.ours(url, dialect, JdbcLockStrategy.ROW, LockType.FAIR), OURS, FAIR);
		add(name + "-spring", "Spring Integration", backend, Database::springIntegration);
		add(name + "-shedlock", "ShedLock, asked each ms", backend, Database::shedLock, NO_WAITING);
	}

	private static Contender reentrantLock() {
		ReentrantLock lock = new ReentrantLock(true);
		return (key, wait) -> {
			lock.lock();
			return lock::unlock;
		};
	}

}
