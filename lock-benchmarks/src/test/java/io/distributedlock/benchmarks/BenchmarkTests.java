package io.distributedlock.benchmarks;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs each benchmark once, to see that it works. The speed is not tested, because it
 * depends on the machine.
 */
class BenchmarkTests {

	@Test
	void eachBenchmarkRuns() throws RunnerException {
		var options = new OptionsBuilder().include("io.distributedlock.benchmarks")
			.forks(0)
			.warmupIterations(0)
			.measurementIterations(1)
			.measurementTime(TimeValue.milliseconds(10))
			.shouldFailOnError(true)
			.resultFormat(ResultFormatType.TEXT)
			.result("target/benchmarks.txt")
			.build();
		assertThat(new Runner(options).run()).hasSize(18);
	}

}
