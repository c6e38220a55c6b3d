package io.distributedlock.sample.coordinator;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

/**
 * Reads the actuator of a node.
 */
final class NodeActuator {

	private final RestClient client;

	NodeActuator(String url) {
		this.client = RestClient.builder()
			.baseUrl(url + "/actuator")
			// a backend that is down is an answer too, with status 503
			.defaultStatusHandler((status) -> status.value() == 503, (request, response) -> {
			})
			.build();
	}

	/**
	 * Return the value of a gauge or counter, zero if it does not exist yet.
	 */
	long value(String meter) {
		return meter(meter, null).map((found) -> (long) found.statistic("VALUE", "COUNT")).orElse(0L);
	}

	Optional<Meter> meter(String name, @Nullable String tag) {
		try {
			return Optional.ofNullable(((tag != null) ? this.client.get().uri("/metrics/{name}?tag={tag}", name, tag)
					: this.client.get().uri("/metrics/{name}", name))
				.retrieve()
				.body(Meter.class));
		}
		catch (HttpClientErrorException.NotFound ex) {
			return Optional.empty();
		}
	}

	/**
	 * Return the health of the locks' providers.
	 */
	Map<String, Health> healthOfLocks() {
		Health locks = this.client.get().uri("/health/locks").retrieve().body(Health.class);
		return (locks != null && locks.components() != null) ? locks.components() : Map.of();
	}

	/**
	 * An answer of the endpoint {@code metrics}.
	 *
	 * @param measurements the values
	 * @param availableTags the tags by which they can be divided
	 */
	record Meter(List<Measurement> measurements, List<Tag> availableTags) {

		double statistic(String... names) {
			List<String> wanted = List.of(names);
			return this.measurements.stream()
				.filter((measurement) -> wanted.contains(measurement.statistic()))
				.mapToDouble(Measurement::value)
				.findFirst()
				.orElse(0);
		}

		List<String> valuesOf(String tag) {
			return this.availableTags.stream()
				.filter((each) -> each.tag().equals(tag))
				.flatMap((each) -> each.values().stream())
				.sorted()
				.toList();
		}

	}

	/**
	 * A measurement.
	 *
	 * @param statistic what it measures
	 * @param value its value
	 */
	record Measurement(String statistic, double value) {
	}

	/**
	 * A tag.
	 *
	 * @param tag its name
	 * @param values its values
	 */
	record Tag(String tag, List<String> values) {
	}

	/**
	 * An answer of the endpoint {@code health}.
	 *
	 * @param status whether it is up
	 * @param components its parts
	 * @param details what else it says
	 */
	record Health(String status, @Nullable Map<String, Health> components, @Nullable Map<String, Object> details) {
	}

}
