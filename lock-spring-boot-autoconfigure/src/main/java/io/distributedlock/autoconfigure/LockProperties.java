package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.ReleaseTime;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * Properties of distributed locks that apply to all providers.
 *
 * @param enabled Whether calls are locked. If false, no backend is asked, and annotated
 * methods and the LockTemplate run their work without a lock.
 * @param provider Name of the default provider, which serves requests that name none. It
 * must be set if several providers are available, and for "redlock" and "local". By
 * default the only available provider.
 * @param providers Names of further providers to configure besides the default one.
 * Annotations and requests can name them.
 * @param lockDelay How long a key stays unavailable after a lease that expired, from 0 to
 * 1d; 0 is no delay. It protects resources that cannot check a fencing token: what a late
 * holder sent before it stopped can arrive before the next holder starts. Needs a
 * provider with the capability LOCK_DELAY.
 * @param keyPrefix What every key starts with, at most 99 characters. Applications and
 * environments that use the same backend need different prefixes, otherwise they share
 * locks. An empty text is no prefix. By default the value of spring.application.name
 * followed by ":lock", or "lock" if the application has no name.
 * @param requireName Whether the application refuses to start if an annotated method has
 * neither a name nor an exact key. Such a lock is named by its class, method and
 * parameters, and is another one after a deployment that changes them.
 * @param waitTime How long a call waits for a lock that others hold, such as 5s; 0 makes
 * one attempt. Applies if the annotation or the request sets no wait time.
 * @param leaseTime How long a lease runs, such as 30s: it ends then even if its holder
 * still works. Applies if the annotation or the request sets no lease time. By default,
 * or with -1, a lease is auto-renewed until it is released.
 * @param commandTimeout How long the backend may take to answer one command, such as 3s.
 * A call ends at the latest after its wait time plus this time.
 * @param waitThroughOutage Whether calls wait on while their provider is down, until
 * their wait time is over. If false, they fail at once. A provider is down when it has
 * failed for the command time-out.
 * @param pollInterval How long a waiting call relies on the backend's signal of a
 * release, such as 500ms, before it asks by itself. If the backend sends no signals, it
 * is the longest interval between two attempts.
 * @param release Whether a call waits for the answer to its release: "sync", or "async"
 * to return before. The latter saves a round trip; the next caller may find the lock
 * still taken for a moment, and a release that fails is only logged.
 * @param events Which application events are published: "problems" for contention,
 * losses, late releases and outages, "all" for everything that happens to a lock.
 * @param failFast Whether the application refuses to start if the backend of a provider
 * does not answer. If false, it starts, and calls fail until the backend answers.
 * @param mode How calls of annotated methods are intercepted: "proxy" by a proxy around
 * the bean, or "aspectj" by advice that is woven into the class. The latter also locks
 * private and final methods and calls within the same object, and needs the Java agent of
 * AspectJ.
 * @param order Order of the advice for locks among the advice of a bean; a lower value
 * runs further outside. By default it runs just outside of the advice without an order.
 * @param onContention What happens to a call of an annotated method if others hold its
 * lock for the whole wait time: "throw" ends it with an exception, "skip" does not run
 * the method. Applies if the annotation does not say.
 * @param warnAfter For how long a lock may be held, such as 1m, before a warning is
 * logged with the stack of the thread that holds it. By default there are no such
 * warnings.
 * @param shutdownTimeout How long a shutdown waits for the holders of locks, such as 10s,
 * after web servers and executors have let their work finish. Their leases are renewed
 * meanwhile.
 * @param executor Properties of the threads for callbacks, listeners, asynchronous work
 * and what depends on futures.
 * @param transaction Properties of locks in transactions.
 * @param renewal Properties of auto-renewed leases.
 * @param handOver Properties of the hand-over inside one instance.
 * @param interop Properties for nodes of another library that use the same keys.
 * @param observations Properties of meters and observations.
 * @param web Properties of controllers.
 * @param spel Properties of key expressions.
 * @param redisson Properties of the provider "redisson".
 * @since 0.1
 */
@ConfigurationProperties("lock")
public record LockProperties(@DefaultValue("true") boolean enabled, @Nullable String provider,
		@DefaultValue List<String> providers, @DefaultValue("0s") Duration lockDelay, @Nullable String keyPrefix,
		boolean requireName, @DefaultValue("5s") Duration waitTime, @Nullable Duration leaseTime,
		@DefaultValue("3s") Duration commandTimeout, boolean waitThroughOutage,
		@DefaultValue("500ms") Duration pollInterval, @DefaultValue("sync") ReleaseMode release,
		@DefaultValue("problems") Events events, boolean failFast, @DefaultValue("proxy") Mode mode,
		@DefaultValue("2147483645") int order, @DefaultValue("throw") OnContention onContention,
		@Nullable Duration warnAfter, @DefaultValue("10s") Duration shutdownTimeout, @DefaultValue Executor executor,
		@DefaultValue Transaction transaction, @DefaultValue Renewal renewal, @DefaultValue HandOver handOver,
		@DefaultValue Interop interop, @DefaultValue Observations observations, @DefaultValue Web web,
		@DefaultValue Spel spel, @DefaultValue Redisson redisson) {

	/**
	 * What Spring Boot converts {@code -1} to: no lease time, so that leases are
	 * auto-renewed.
	 */
	private static final Duration NO_LEASE_TIME = Duration.ofMillis(-1);

	/**
	 * Return how long a lease runs.
	 * @return the lease time, {@code null} if leases are auto-renewed
	 */
	@Override
	public @Nullable Duration leaseTime() {
		return NO_LEASE_TIME.equals(this.leaseTime) ? null : this.leaseTime;
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
	 * Properties of the threads for callbacks, listeners, asynchronous work and what
	 * depends on futures.
	 *
	 * @param threads How many threads run callbacks, listeners, asynchronous work and
	 * what depends on futures of locks. By default the applicationTaskExecutor bean runs
	 * them, or threads of the template if the application has no such bean.
	 * @param queueCapacity How many tasks may wait for these threads. Further ones run on
	 * threads of the template.
	 */
	public record Executor(@Nullable Integer threads, @DefaultValue("10000") int queueCapacity) {
	}

	/**
	 * Properties of locks in transactions.
	 *
	 * @param release When the lock of a method is released that is called inside a
	 * transaction: "after-transaction", so that the next owner sees what was written, or
	 * "after-method". Applies if the annotation does not say.
	 * @param verifyBeforeCommit Whether to check the lease once more before the commit,
	 * and to roll the transaction back if the lease was lost.
	 */
	public record Transaction(@DefaultValue("after-transaction") ReleaseTime release,
			@DefaultValue("true") boolean verifyBeforeCommit) {
	}

	/**
	 * Properties of auto-renewed leases.
	 *
	 * @param leaseTime Length of an auto-renewed lease, such as 30s: how long a key stays
	 * locked after the JVM of its holder died. The lease is renewed each time a third of
	 * it has passed.
	 */
	public record Renewal(@DefaultValue("30s") Duration leaseTime) {
	}

	/**
	 * Properties of meters and observations.
	 *
	 * @param enabled Whether there are meters and observations of locks, if the
	 * application has lock-micrometer and a MeterRegistry or an ObservationRegistry.
	 * @param key Whether traces show the full key of a lock, which may be personal data.
	 * Meters never do.
	 */
	public record Observations(@DefaultValue("true") boolean enabled, boolean key) {
	}

	/**
	 * Properties of controllers.
	 *
	 * @param problemDetails Whether requests whose lock was not acquired, or was lost,
	 * are answered with a status of their own and a problem detail, instead of as any
	 * other exception.
	 */
	public record Web(boolean problemDetails) {
	}

	/**
	 * Properties of the hand-over inside one instance.
	 *
	 * @param window For how long callers of one instance may get an exclusive lock one
	 * after the other, without a request to the backend, while other instances wait for
	 * it. A longer time makes a contended key faster, and lets other instances wait
	 * longer. Zero to release the lease each time. Without it, 3ms, or longer where the
	 * provider needs longer to pass a lock on to another instance: 6ms with etcd, 10ms
	 * with the tables of a database.
	 * @param limit How many callers of one instance may get an exclusive lock one after
	 * the other while other instances wait for it.
	 */
	public record HandOver(@Nullable Duration window, @DefaultValue("1000") int limit) {
	}

	/**
	 * Properties for nodes of another library that use the same keys.
	 *
	 * @param polling How often nodes of another library ask for a lock that is taken,
	 * such as 100ms. The providers "redis" and "redisson" then leave a lock free for a
	 * little longer than this now and then, instead of handing it over. Zero if there are
	 * no such nodes.
	 */
	public record Interop(@DefaultValue("0s") Duration polling) {
	}

	/**
	 * Properties of key expressions.
	 *
	 * @param beanReferences Whether key expressions may refer to beans, such as
	 * "@tenant.id".
	 */
	public record Spel(boolean beanReferences) {
	}

	/**
	 * Properties of the provider "redisson".
	 *
	 * @param config Location of a YAML file of Redisson, such as
	 * "classpath:redisson.yaml". The client for locks is created from it instead of
	 * spring.data.redis.*. Not used if the application has its own RedissonClient bean.
	 */
	public record Redisson(@Nullable String config) {
	}

}
