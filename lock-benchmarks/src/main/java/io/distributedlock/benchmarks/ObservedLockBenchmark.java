package io.distributedlock.benchmarks;

import java.util.concurrent.TimeUnit;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.micrometer.LockMeters;
import io.distributedlock.micrometer.LockObservations;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to see a lock: meters and observations, with a provider that answers
 * immediately.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ObservedLockBenchmark {

	/**
	 * A lock with a name and a key, acquired and released.
	 */
	@Benchmark
	public long lock(Seen seen) {
		return seen.template.execute(seen.request, () -> 1L);
	}

	/**
	 * A template, and who looks at it.
	 */
	@State(Scope.Benchmark)
	public static class Seen {

		/**
		 * Who looks: nobody; a listener that is told of losses alone, as each application
		 * of Spring Boot has one; the meters; the observations without a handler; meters
		 * and observations with timers, as an application with an actuator has them.
		 */
		@Param({ "nobody", "losses", "meters", "observations", "actuator" })
		String by = "nobody";

		DefaultLockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();

		final LockRequest request = LockRequest.of("42").withName("order");

		/**
		 * Create the template.
		 */
		@Setup
		public void open() {
			SimpleMeterRegistry meters = new SimpleMeterRegistry();
			ObservationRegistry observations = ObservationRegistry.create();
			LockTemplateBuilder builder = DefaultLockTemplate.builder().provider(new LocalLockProvider());
			switch (this.by) {
				case "losses" -> builder.listener(losses());
				case "meters" -> addMeters(builder, meters);
				case "observations" -> builder.observer(new LockObservations(observations));
				case "actuator" -> {
					observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
					addMeters(builder.listener(losses()), meters);
					builder.observer(new LockObservations(observations));
				}
				default -> {
					// nobody
				}
			}
			this.template.close();
			this.template = builder.build();
		}

		private static void addMeters(LockTemplateBuilder builder, SimpleMeterRegistry registry) {
			LockMeters meters = new LockMeters(registry);
			builder.observer(meters).listener(meters);
		}

		/**
		 * Close the template.
		 */
		@TearDown
		public void close() {
			this.template.close();
		}

	}

	private static LockListener losses() {
		return LockListener.of(LockEvent.Lost.class, (event) -> {
		});
	}

}
