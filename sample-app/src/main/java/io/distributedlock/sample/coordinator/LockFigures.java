package io.distributedlock.sample.coordinator;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import io.distributedlock.sample.coordinator.NodeActuator.Health;
import io.distributedlock.sample.coordinator.NodeActuator.Meter;
import org.jspecify.annotations.Nullable;

/**
 * What the meters and the health of a node say about its locks.
 *
 * @param held how many locks it holds
 * @param waiting how many calls wait for one
 * @param outcomes how many calls ended how
 * @param meanWaitMillis how long a call waited on average until it had its lock
 * @param longestWaitMillis how long it waited at most in the last minutes
 * @param handOvers how many locks were passed on inside the node
 * @param lost how many locks were lost
 * @param provider the provider of the locks
 * @param status whether its backend answers
 * @param roundTripMillis how long that took
 */
record LockFigures(long held, long waiting, Map<String, Long> outcomes, @Nullable Double meanWaitMillis,
		@Nullable Double longestWaitMillis, long handOvers, long lost, String provider, String status,
		@Nullable Double roundTripMillis) {

	private static final double MILLIS = Duration.ofSeconds(1).toMillis();

	static LockFigures read(NodeActuator actuator) {
		Map<String, Long> outcomes = new LinkedHashMap<>();
		actuator.meter("lock.acquire", null)
			.ifPresent((calls) -> calls.valuesOf("lock.outcome")
				.forEach((outcome) -> actuator.meter("lock.acquire", "lock.outcome:" + outcome)
					.ifPresent((ended) -> outcomes.put(outcome, (long) ended.statistic("COUNT")))));
		Optional<Meter> acquired = actuator.meter("lock.acquire", "lock.outcome:acquired");
		Map.Entry<String, Health> health = actuator.healthOfLocks()
			.entrySet()
			.stream()
			.findFirst()
			.orElseGet(() -> Map.entry("", new Health("UNKNOWN", null, null)));
		return new LockFigures(actuator.value("lock.held"), actuator.value("lock.waiting"), outcomes,
				acquired.map((meter) -> MILLIS * meter.statistic("TOTAL_TIME") / meter.statistic("COUNT")).orElse(null),
				acquired.map((meter) -> MILLIS * meter.statistic("MAX")).orElse(null),
				actuator.value("lock.hand.overs"), actuator.value("lock.lost"), health.getKey(),
				health.getValue().status(), roundTrip(health.getValue()));
	}

	private static @Nullable Double roundTrip(Health health) {
		return (health.details() != null && health.details().get("roundTripMs") instanceof Number millis)
				? millis.doubleValue() : null;
	}

}
