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
 * What a call of a locked method costs besides the backend: the local provider answers at
 * once, so that what is left is the advice, the expressions and the engine.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class LockedCallBenchmark {

	/**
	 * What every advice of Spring costs, ours included.
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
	 * The annotation of the README.
	 */
	@Benchmark
	public long expressionKey(Application application) {
		return application.orders.expressionKey(application.order);
	}

	/**
	 * The template, without advice.
	 */
	@Benchmark
	public long template(Application application) {
		return application.template.execute(application.request, () -> application.order.id());
	}

	/**
	 * A condition that says no.
	 */
	@Benchmark
	public long conditionThatIsFalse(Application application) {
		return application.orders.conditionThatIsFalse(application.order);
	}

	/**
	 * All or none of two locks.
	 */
	@Benchmark
	public long twoKeys(Application application) {
		return application.orders.twoKeys(application.order);
	}

	/**
	 * Two locks, the inner of which is held already.
	 */
	@Benchmark
	public long reentry(Application application) {
		return application.orders.outer(application.order, application.orders);
	}

	/**
	 * The same in a transaction of the method, whose lease is checked before the commit.
	 */
	@Benchmark
	public long transaction(Application application) {
		return application.orders.inTransaction(application.order);
	}

	/**
	 * The transaction alone.
	 */
	@Benchmark
	public long transactionWithoutLock(Application application) {
		return application.orders.inTransactionWithoutLock(application.order);
	}

	/**
	 * The thread is interrupted if the lease is lost.
	 */
	@Benchmark
	public long interruptedOnLoss(Application application) {
		return application.orders.interruptedOnLoss(application.order);
	}

	/**
	 * Others hold the lock, and the call is skipped.
	 */
	@Benchmark
	public @Nullable Long skipped(Application application) {
		return application.orders.skipped(application.order);
	}

	/**
	 * A subscription.
	 */
	@Benchmark
	public @Nullable Long mono(Application application) {
		return application.orders.mono(application.order).block();
	}

}
