package io.distributedlock.benchmarks.contention;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.LockType;
import io.distributedlock.benchmarks.contention.Candidate.Opening;
import io.distributedlock.benchmarks.contention.Candidate.Trait;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

import static io.distributedlock.benchmarks.contention.Candidate.Trait.FAIR;
import static io.distributedlock.benchmarks.contention.Candidate.Trait.LIMIT;
import static io.distributedlock.benchmarks.contention.Candidate.Trait.NO_WAITING;
import static io.distributedlock.benchmarks.contention.Candidate.Trait.OURS;
import static io.distributedlock.benchmarks.contention.Candidate.Trait.REENTRANT;

/**
 * All contenders.
 */
final class Candidates {

	private static final List<Candidate> ALL = new ArrayList<>();

	static {
		add("redis", "provider `redis`", Backend.REDIS, (url) -> Ours.redis(url, LockType.EXCLUSIVE), OURS, REENTRANT);
		add("redisson", "provider `redisson`", Backend.REDIS, (url) -> Ours.redisson(url, LockType.EXCLUSIVE), OURS,
				REENTRANT);
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
		add("by-hand", "`SET NX PX` and script by hand", Backend.REDIS, ByHand::new, LIMIT, NO_WAITING);
		add("prototype", "*limit: bare hand-over*", Backend.REDIS, Prototype::new, LIMIT);
		add("reentrant-lock", "*limit: fair `ReentrantLock`*", Backend.JVM, (url) -> reentrantLock(), LIMIT, REENTRANT);
	}

	private Candidates() {
	}

	static List<Candidate> all() {
		return List.copyOf(ALL);
	}

	static Candidate named(String name) {
		return ALL.stream()
			.filter((candidate) -> candidate.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no contender '%s'. There are: %s".formatted(name,
					ALL.stream().map(Candidate::name).toList())));
	}

	private static void add(String name, String title, Backend backend, Opening opening, Trait... traits) {
		ALL.add(new Candidate(name, title, backend, Set.of(traits), opening));
	}

	private static Contender reentrantLock() {
		ReentrantLock lock = new ReentrantLock(true);
		return (key) -> {
			lock.lock();
			return lock::unlock;
		};
	}

}
