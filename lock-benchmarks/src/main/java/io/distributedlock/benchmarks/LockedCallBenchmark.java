package io.distributedlock.benchmarks;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a call of a locked method costs without its backend. The local provider answers
 * immediately, so the cost is that of the advice, the expressions and the engine.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class LockedCallBenchmark {

	/**
	 * A method with an empty advice of Spring, for comparison.
	 */
	@Benchmark
	public long bareProxy(Application application) {
		return application.bare.plain(application.order);
	}

	/**
	 * A lock without a key.
	 */
	@Benchmark
	public long constantKey(Application application) {
		return application.orders.constantKey(application.order);
	}

	/**
	 * A lock whose key is an expression, as in the README.
	 */
	@Benchmark
	public long expressionKey(Application application) {
		return application.orders.expressionKey(application.order);
	}

	/**
	 * The key expression alone, evaluated by Spring without this library.
	 */
	@Benchmark
	public @Nullable Object expressionAlone(Application application) {
		return application.key();
	}

	/**
	 * A lock through the template, without advice.
	 */
	@Benchmark
	public long template(Application application) {
		return application.template.execute(application.request, () -> application.order.id());
	}

	/**
	 * A call without a lock, because its condition is false.
	 */
	@Benchmark
	public long conditionThatIsFalse(Application application) {
		return application.orders.conditionThatIsFalse(application.order);
	}

	/**
	 * Two locks that are acquired together.
	 */
	@Benchmark
	public long twoKeys(Application application) {
		return application.orders.twoKeys(application.order);
	}

	/**
	 * A locked method that calls another one with the same key, which re-enters the lock.
	 */
	@Benchmark
	public long reentry(Application application) {
		return application.orders.outer(application.order, application.orders);
	}

	/**
	 * A locked method that starts a transaction. The lease is checked before the commit.
	 */
	@Benchmark
	public long transaction(Application application) {
		return application.orders.inTransaction(application.order);
	}

	/**
	 * The same transaction without a lock.
	 */
	@Benchmark
	public long transactionWithoutLock(Application application) {
		return application.orders.inTransactionWithoutLock(application.order);
	}

	/**
	 * A lock that would interrupt the thread if the lease were lost.
	 */
	@Benchmark
	public long interruptedOnLoss(Application application) {
		return application.orders.interruptedOnLoss(application.order);
	}

	/**
	 * A call that is skipped, because others hold the lock.
	 */
	@Benchmark
	public @Nullable Long skipped(Application application) {
		return application.orders.skipped(application.order);
	}

	/**
	 * A subscription to a locked {@code Mono}.
	 */
	@Benchmark
	public @Nullable Long mono(Application application) {
		return application.orders.mono(application.order).block();
	}

}
