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
 * Configuration of distributed locks.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock")
public class LockProperties {

	/**
	 * What {@code -1} is converted to.
	 */
	private static final Duration KEEP_ALIVE = Duration.ofMillis(-1);

	/**
	 * Whether to configure locks at all. When off there is no LockTemplate, and annotated
	 * methods run without a lock.
	 */
	private boolean enabled = true;

	/**
	 * Name of the provider that serves requests which name none. By default the one that
	 * is there.
	 */
	private @Nullable String provider;

	/**
	 * Names of the providers that are configured beside the default one, for annotations
	 * and requests that name them.
	 */
	private List<String> providers = new ArrayList<>();

	/**
	 * How long a key stays unavailable after a lease that ended without a release.
	 * Protects resources that cannot check a fencing token from what a late holder had
	 * sent before it stopped.
	 */
	private Duration lockDelay = Duration.ZERO;

	/**
	 * What every key starts with, so that applications and environments that share a
	 * backend do not share locks. By default the name of the application and ":lock".
	 */
	private @Nullable String keyPrefix;

	/**
	 * How long to wait for a lock that others hold, where the call does not say; 0 makes
	 * one attempt.
	 */
	private Duration waitTime = Duration.ofSeconds(5);

	/**
	 * When a lock ends by itself even if its holder still works, where the call does not
	 * say. Without it, or with -1, a lease is kept alive until the lock is given back.
	 */
	private @Nullable Duration leaseTime;

	/**
	 * How long one command to the backend may take. A call returns within its wait time
	 * plus this.
	 */
	private Duration commandTimeout = Duration.ofSeconds(3);

	/**
	 * How long a waiting call relies on the backend's notification of a release before it
	 * asks anyway.
	 */
	private Duration pollInterval = Duration.ofMillis(500);

	/**
	 * How annotated methods come under their locks.
	 */
	private Mode mode = Mode.PROXY;

	/**
	 * Order of the locks' advice among that of a bean. Lower is further outside.
	 */
	private int order = DistributedLockBeanPostProcessor.DEFAULT_ORDER;

	/**
	 * What becomes of calls of annotated methods whose lock others hold for the whole
	 * wait time, where the annotation does not say.
	 */
	private OnContention onContention = OnContention.THROW;

	private final Transaction transaction = new Transaction();

	private final Renewal renewal = new Renewal();

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

	/**
	 * Return what every key starts with.
	 * @param environment knows the name of the application
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
		this.leaseTime = KEEP_ALIVE.equals(leaseTime) ? null : leaseTime;
	}

	public Duration getCommandTimeout() {
		return this.commandTimeout;
	}

	public void setCommandTimeout(Duration commandTimeout) {
		this.commandTimeout = commandTimeout;
	}

	public Duration getPollInterval() {
		return this.pollInterval;
	}

	public void setPollInterval(Duration pollInterval) {
		this.pollInterval = pollInterval;
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

	public Transaction getTransaction() {
		return this.transaction;
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
	 * How annotated methods come under their locks.
	 */
	public enum Mode {

		/**
		 * Beans are wrapped by proxies: what is called through them is locked.
		 */
		PROXY,

		/**
		 * AspectJ weaves the advice into the methods when their classes are loaded, so
		 * that calls from within the same object, private and final methods are locked
		 * too. Needs the agent of aspectjweaver.
		 */
		ASPECTJ

	}

	/**
	 * What becomes of a call whose lock others hold.
	 */
	public enum OnContention {

		/**
		 * It ends with an exception.
		 */
		THROW,

		/**
		 * It gives nothing, and the method does not run.
		 */
		SKIP

	}

	/**
	 * Locks and transactions.
	 */
	public static class Transaction {

		/**
		 * When a method that is called inside a transaction gives its lock back, where
		 * its annotation does not say.
		 */
		private Release release = Release.AFTER_TRANSACTION;

		/**
		 * Whether the lease is checked once more before the commit, and the transaction
		 * rolled back if it was lost.
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
	 * When a lock is given back that was taken inside a transaction.
	 */
	public enum Release {

		/**
		 * After the commit or rollback.
		 */
		AFTER_TRANSACTION,

		/**
		 * When the method has ended.
		 */
		AFTER_METHOD;

		ReleaseTime asReleaseTime() {
			return (this == AFTER_TRANSACTION) ? ReleaseTime.AFTER_TRANSACTION : ReleaseTime.AFTER_METHOD;
		}

	}

	/**
	 * Leases that are kept alive.
	 */
	public static class Renewal {

		/**
		 * Length of a lease that is kept alive: how long a lock stays after its holder
		 * died. It is renewed each third of it.
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
	 * Key expressions.
	 */
	public static class Spel {

		/**
		 * Whether key expressions may refer to beans, as in "@tenant.id".
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
	 * The Redisson provider.
	 */
	public static class Redisson {

		/**
		 * Location of a Redisson YAML file, used instead of spring.data.redis.* to make
		 * the client where the application has no RedissonClient of its own.
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
