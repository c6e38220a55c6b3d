package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.annotation.ReleaseTime;
import io.distributedlock.spring.DistributedLockBeanPostProcessor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.env.Environment;

/**
 * Properties of distributed locks that apply to all providers.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock")
public class LockProperties {

	/**
	 * What Spring Boot converts {@code -1} to: no lease time, so that leases are
	 * auto-renewed.
	 */
	private static final Duration NO_LEASE_TIME = Duration.ofMillis(-1);

	/**
	 * Whether calls are locked. If false, no backend is asked, and annotated methods and
	 * the LockTemplate run their work without a lock.
	 */
	private boolean enabled = true;

	/**
	 * Name of the default provider, which serves requests that name none. It must be set
	 * if several providers are available, and for "redlock" and "local". By default the
	 * only available provider.
	 */
	private @Nullable String provider;

	/**
	 * Names of further providers to configure besides the default one. Annotations and
	 * requests can name them.
	 */
	private List<String> providers = new ArrayList<>();

	/**
	 * How long a key stays unavailable after a lease that expired, from 0 to 1d; 0 is no
	 * delay. It protects resources that cannot check a fencing token: what a late holder
	 * sent before it stopped can arrive before the next holder starts. Needs a provider
	 * with the capability LOCK_DELAY.
	 */
	private Duration lockDelay = Duration.ZERO;

	/**
	 * What every key starts with, at most 99 characters. Applications and environments
	 * that use the same backend need different prefixes, otherwise they share locks. An
	 * empty text is no prefix. By default the value of spring.application.name followed
	 * by ":lock", or "lock" if the application has no name.
	 */
	private @Nullable String keyPrefix;

	/**
	 * Whether the application refuses to start if an annotated method has neither a name
	 * nor an exact key. Such a lock is named by its class, method and parameters, and is
	 * another one after a deployment that changes them.
	 */
	private boolean requireName;

	/**
	 * How long a call waits for a lock that others hold, such as 5s; 0 makes one attempt.
	 * Applies if the annotation or the request sets no wait time.
	 */
	private Duration waitTime = Duration.ofSeconds(5);

	/**
	 * How long a lease runs, such as 30s: it ends then even if its holder still works.
	 * Applies if the annotation or the request sets no lease time. By default, or with
	 * -1, a lease is auto-renewed until it is released.
	 */
	private @Nullable Duration leaseTime;

	/**
	 * How long the backend may take to answer one command, such as 3s. A call ends at the
	 * latest after its wait time plus this time.
	 */
	private Duration commandTimeout = Duration.ofSeconds(3);

	/**
	 * Whether calls wait on while their provider is down, until their wait time is over.
	 * If false, they fail at once. A provider is down when it has failed for the command
	 * time-out.
	 */
	private boolean waitThroughOutage;

	/**
	 * How long a waiting call relies on the backend's signal of a release, such as 500ms,
	 * before it asks by itself. If the backend sends no signals, it is the longest
	 * interval between two attempts.
	 */
	private Duration pollInterval = Duration.ofMillis(500);

	/**
	 * Whether a call waits for the answer to its release: "sync", or "async" to return
	 * before. The latter saves a round trip; the next caller may find the lock still
	 * taken for a moment, and a release that fails is only logged.
	 */
	private ReleaseMode release = ReleaseMode.SYNC;

	/**
	 * Which application events are published: "problems" for contention, losses, late
	 * releases and outages, "all" for everything that happens to a lock.
	 */
	private Events events = Events.PROBLEMS;

	/**
	 * Whether the application refuses to start if the backend of a provider does not
	 * answer. If false, it starts, and calls fail until the backend answers.
	 */
	private boolean failFast;

	/**
	 * How calls of annotated methods are intercepted: "proxy" by a proxy around the bean,
	 * or "aspectj" by advice that is woven into the class. The latter also locks private
	 * and final methods and calls within the same object, and needs the Java agent of
	 * AspectJ.
	 */
	private Mode mode = Mode.PROXY;

	/**
	 * Order of the advice for locks among the advice of a bean; a lower value runs
	 * further outside. By default it runs just outside of the advice without an order.
	 */
	private int order = DistributedLockBeanPostProcessor.DEFAULT_ORDER;

	/**
	 * What happens to a call of an annotated method if others hold its lock for the whole
	 * wait time: "throw" ends it with an exception, "skip" does not run the method.
	 * Applies if the annotation does not say.
	 */
	private OnContention onContention = OnContention.THROW;

	/**
	 * For how long a lock may be held, such as 1m, before a warning is logged with the
	 * stack of the thread that holds it. By default there are no such warnings.
	 */
	private @Nullable Duration warnAfter;

	/**
	 * How long a shutdown waits for the holders of locks, such as 10s, after web servers
	 * and executors have let their work finish. Their leases are renewed meanwhile.
	 */
	private Duration shutdownTimeout = Duration.ofSeconds(10);

	private final Executor executor = new Executor();

	private final Transaction transaction = new Transaction();

	private final Renewal renewal = new Renewal();

	private final HandOver handOver = new HandOver();

	private final Interop interop = new Interop();

	private final Observations observations = new Observations();

	private final Web web = new Web();

	private final Spel spel = new Spel();

	private final Redisson redisson = new Redisson();

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public @Nullable String getProvider() {
		return this.provider;
	}

	public void setProvider(@Nullable String provider) {
		this.provider = provider;
	}

	public List<String> getProviders() {
		return this.providers;
	}

	public void setProviders(List<String> providers) {
		this.providers = providers;
	}

	public Duration getLockDelay() {
		return this.lockDelay;
	}

	public void setLockDelay(Duration lockDelay) {
		this.lockDelay = lockDelay;
	}

	public @Nullable String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(@Nullable String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public boolean isRequireName() {
		return this.requireName;
	}

	public void setRequireName(boolean requireName) {
		this.requireName = requireName;
	}

	/**
	 * Return what every key starts with.
	 * @param environment the environment, which contains the name of the application
	 * @return the prefix that is set, or the default
	 */
	public String keyPrefix(Environment environment) {
		if (this.keyPrefix != null) {
			return this.keyPrefix;
		}
		String application = environment.getProperty("spring.application.name", "");
		return application.isBlank() ? "lock" : application + ":lock";
	}

	public Duration getWaitTime() {
		return this.waitTime;
	}

	public void setWaitTime(Duration waitTime) {
		this.waitTime = waitTime;
	}

	public @Nullable Duration getLeaseTime() {
		return this.leaseTime;
	}

	public void setLeaseTime(@Nullable Duration leaseTime) {
		this.leaseTime = NO_LEASE_TIME.equals(leaseTime) ? null : leaseTime;
	}

	public Duration getCommandTimeout() {
		return this.commandTimeout;
	}

	public void setCommandTimeout(Duration commandTimeout) {
		this.commandTimeout = commandTimeout;
	}

	public boolean isWaitThroughOutage() {
		return this.waitThroughOutage;
	}

	public void setWaitThroughOutage(boolean waitThroughOutage) {
		this.waitThroughOutage = waitThroughOutage;
	}

	public Duration getPollInterval() {
		return this.pollInterval;
	}

	public void setPollInterval(Duration pollInterval) {
		this.pollInterval = pollInterval;
	}

	public ReleaseMode getRelease() {
		return this.release;
	}

	public void setRelease(ReleaseMode release) {
		this.release = release;
	}

	public Events getEvents() {
		return this.events;
	}

	public void setEvents(Events events) {
		this.events = events;
	}

	public Mode getMode() {
		return this.mode;
	}

	public void setMode(Mode mode) {
		this.mode = mode;
	}

	public int getOrder() {
		return this.order;
	}

	public void setOrder(int order) {
		this.order = order;
	}

	public OnContention getOnContention() {
		return this.onContention;
	}

	public void setOnContention(OnContention onContention) {
		this.onContention = onContention;
	}

	public @Nullable Duration getWarnAfter() {
		return this.warnAfter;
	}

	public void setWarnAfter(@Nullable Duration warnAfter) {
		this.warnAfter = warnAfter;
	}

	public Duration getShutdownTimeout() {
		return this.shutdownTimeout;
	}

	public void setShutdownTimeout(Duration shutdownTimeout) {
		this.shutdownTimeout = shutdownTimeout;
	}

	public Executor getExecutor() {
		return this.executor;
	}

	public boolean isFailFast() {
		return this.failFast;
	}

	public void setFailFast(boolean failFast) {
		this.failFast = failFast;
	}

	public Observations getObservations() {
		return this.observations;
	}

	public Web getWeb() {
		return this.web;
	}

	public Transaction getTransaction() {
		return this.transaction;
	}

	public HandOver getHandOver() {
		return this.handOver;
	}

	public Interop getInterop() {
		return this.interop;
	}

	public Renewal getRenewal() {
		return this.renewal;
	}

	public Spel getSpel() {
		return this.spel;
	}

	public Redisson getRedisson() {
		return this.redisson;
	}

	/**
	 * Which application events are published.
	 */
	public enum Events {

		/**
		 * Those on which somebody may want to act.
		 */
		PROBLEMS,

		/**
		 * Everything that happens to a lock.
		 */
		ALL

	}

	/**
	 * Whether a call waits for the answer to its release.
	 */
	public enum ReleaseMode {

		/**
		 * The call returns when the lock is released.
		 */
		SYNC,

		/**
		 * The call returns when the release is sent.
		 */
		ASYNC

	}

	/**
	 * How calls of annotated methods are intercepted.
	 */
	public enum Mode {

		/**
		 * A proxy around the bean. Only calls from outside of the object are locked.
		 */
		PROXY,

		/**
		 * AspectJ weaves the advice into the methods when their classes are loaded. So
		 * private and final methods and calls within the same object are locked too.
		 * Needs the Java agent aspectjweaver.
		 */
		ASPECTJ

	}

	/**
	 * What happens to a call if others hold its lock for the whole wait time.
	 */
	public enum OnContention {

		/**
		 * The call ends with an exception.
		 */
		THROW,

		/**
		 * The method does not run, and the call returns an empty value such as
		 * {@code null}.
		 */
		SKIP;

		io.distributedlock.annotation.OnContention asAttribute() {
			return (this == THROW) ? io.distributedlock.annotation.OnContention.THROW
					: io.distributedlock.annotation.OnContention.SKIP;
		}

	}

	/**
	 * Properties of the threads for callbacks, listeners, asynchronous work and what
	 * depends on futures.
	 */
	public static class Executor {

		/**
		 * How many threads run callbacks, listeners, asynchronous work and what depends
		 * on futures of locks. By default the applicationTaskExecutor bean runs them, or
		 * threads of the template if the application has no such bean.
		 */
		private @Nullable Integer threads;

		/**
		 * How many tasks may wait for these threads. Further ones run on threads of the
		 * template.
		 */
		private int queueCapacity = 10_000;

		public @Nullable Integer getThreads() {
			return this.threads;
		}

		public void setThreads(@Nullable Integer threads) {
			this.threads = threads;
		}

		public int getQueueCapacity() {
			return this.queueCapacity;
		}

		public void setQueueCapacity(int queueCapacity) {
			this.queueCapacity = queueCapacity;
		}

	}

	/**
	 * Properties of locks in transactions.
	 */
	public static class Transaction {

		/**
		 * When the lock of a method is released that is called inside a transaction:
		 * "after-transaction", so that the next owner sees what was written, or
		 * "after-method". Applies if the annotation does not say.
		 */
		private Release release = Release.AFTER_TRANSACTION;

		/**
		 * Whether to check the lease once more before the commit, and to roll the
		 * transaction back if the lease was lost.
		 */
		private boolean verifyBeforeCommit = true;

		public Release getRelease() {
			return this.release;
		}

		public void setRelease(Release release) {
			this.release = release;
		}

		public boolean isVerifyBeforeCommit() {
			return this.verifyBeforeCommit;
		}

		public void setVerifyBeforeCommit(boolean verifyBeforeCommit) {
			this.verifyBeforeCommit = verifyBeforeCommit;
		}

	}

	/**
	 * When the lock of a method is released that is called inside a transaction.
	 */
	public enum Release {

		/**
		 * After the commit or rollback.
		 */
		AFTER_TRANSACTION,

		/**
		 * When the method has ended, before the commit or rollback.
		 */
		AFTER_METHOD;

		ReleaseTime asAttribute() {
			return (this == AFTER_TRANSACTION) ? ReleaseTime.AFTER_TRANSACTION : ReleaseTime.AFTER_METHOD;
		}

	}

	/**
	 * Properties of auto-renewed leases.
	 */
	public static class Renewal {

		/**
		 * Length of an auto-renewed lease, such as 30s: how long a key stays locked after
		 * the JVM of its holder died. The lease is renewed each time a third of it has
		 * passed.
		 */
		private Duration leaseTime = Duration.ofSeconds(30);

		public Duration getLeaseTime() {
			return this.leaseTime;
		}

		public void setLeaseTime(Duration leaseTime) {
			this.leaseTime = leaseTime;
		}

	}

	/**
	 * Properties of meters and observations.
	 */
	public static class Observations {

		/**
		 * Whether there are meters and observations of locks, if the application has
		 * lock-micrometer and a MeterRegistry or an ObservationRegistry.
		 */
		private boolean enabled = true;

		/**
		 * Whether traces show the full key of a lock, which may be personal data. Meters
		 * never do.
		 */
		private boolean key;

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public boolean isKey() {
			return this.key;
		}

		public void setKey(boolean key) {
			this.key = key;
		}

	}

	/**
	 * Properties of controllers.
	 */
	public static class Web {

		/**
		 * Whether requests whose lock was not acquired, or was lost, are answered with a
		 * status of their own and a problem detail, instead of as any other exception.
		 */
		private boolean problemDetails;

		public boolean isProblemDetails() {
			return this.problemDetails;
		}

		public void setProblemDetails(boolean problemDetails) {
			this.problemDetails = problemDetails;
		}

	}

	/**
	 * Properties of the hand-over inside one instance.
	 */
	public static class HandOver {

		/**
		 * For how long callers of one instance may get an exclusive lock one after the
		 * other, without a request to the backend, while other instances wait for it. A
		 * longer time makes a contended key faster, and lets other instances wait longer.
		 * Zero to release the lease each time. Without it, 3ms, or longer where the
		 * provider needs longer to pass a lock on to another instance: 6ms with etcd,
		 * 10ms with the tables of a database.
		 */
		private @Nullable Duration window;

		/**
		 * How many callers of one instance may get an exclusive lock one after the other
		 * while other instances wait for it.
		 */
		private int limit = 1000;

		public @Nullable Duration getWindow() {
			return this.window;
		}

		public void setWindow(@Nullable Duration window) {
			this.window = window;
		}

		public int getLimit() {
			return this.limit;
		}

		public void setLimit(int limit) {
			this.limit = limit;
		}

	}

	/**
	 * Properties for nodes of another library that use the same keys.
	 */
	public static class Interop {

		/**
		 * How often nodes of another library ask for a lock that is taken, such as 100ms.
		 * The providers "redis" and "redisson" then leave a lock free for a little longer
		 * than this now and then, instead of handing it over. Zero if there are no such
		 * nodes.
		 */
		private Duration polling = Duration.ZERO;

		public Duration getPolling() {
			return this.polling;
		}

		public void setPolling(Duration polling) {
			this.polling = polling;
		}

	}

	/**
	 * Properties of key expressions.
	 */
	public static class Spel {

		/**
		 * Whether key expressions may refer to beans, such as "@tenant.id".
		 */
		private boolean beanReferences = false;

		public boolean isBeanReferences() {
			return this.beanReferences;
		}

		public void setBeanReferences(boolean beanReferences) {
			this.beanReferences = beanReferences;
		}

	}

	/**
	 * Properties of the provider "redisson".
	 */
	public static class Redisson {

		/**
		 * Location of a YAML file of Redisson, such as "classpath:redisson.yaml". The
		 * client for locks is created from it instead of spring.data.redis.*. Not used if
		 * the application has its own RedissonClient bean.
		 */
		private @Nullable String config;

		public @Nullable String getConfig() {
			return this.config;
		}

		public void setConfig(@Nullable String config) {
			this.config = config;
		}

	}

}
