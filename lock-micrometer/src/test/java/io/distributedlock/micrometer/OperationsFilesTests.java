package io.distributedlock.micrometer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The alert rules and the dashboard of docs/operations use metrics and tags that an
 * application really has.
 */
class OperationsFilesTests {

	private static final Path FOLDER = Path.of("..", "docs", "operations");

	private static final Pattern METRIC = Pattern.compile("\\block_[a-z_]+");

	private static final Set<String> TAGS = Set.of("lock_name", "lock_provider", "lock_outcome", "lock_type");

	@ParameterizedTest
	@ValueSource(strings = { "alerts.yml", "dashboard.json" })
	void metricsExist(String file) throws IOException {
		Set<String> used = matches(Files.readString(FOLDER.resolve(file)));
		assertThat(used).as("metrics and tags of " + file).hasSizeGreaterThan(8);
		assertThat(matches(scrape())).containsAll(used);
	}

	@Test
	void dashboardShowsEveryMeter() throws IOException {
		Set<String> used = matches(Files.readString(FOLDER.resolve("dashboard.json")));
		Set<String> meters = matches(scrape()).stream()
			.filter((name) -> !TAGS.contains(name))
			.map((name) -> name.replaceAll("(_active)?_seconds.*|_total", ""))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(meters).isNotEmpty()
			.allSatisfy((meter) -> assertThat(used).anyMatch((name) -> name.startsWith(meter)));
	}

	@Test
	void panelsSayWhatTheyShow() throws IOException {
		String dashboard = Files.readString(FOLDER.resolve("dashboard.json"));
		long panels = count(dashboard, "\"gridPos\": ");
		assertThat(panels).isPositive();
		assertThat(count(dashboard, "\"description\": \"[^\"]+\"")).as("descriptions").isEqualTo(panels);
		assertThat(count(dashboard, "\"unit\": \"[^\"]+\"")).as("units").isEqualTo(panels);
	}

	/**
	 * Return what an application with locks shows to Prometheus, while it holds one.
	 */
	private static String scrape() {
		PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		LockMeters lockMeters = new LockMeters(meters);
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider())
			.observer(lockMeters)
			.listener(lockMeters)
			.observer(new LockObservations(observations))
			.build()) {
			template.execute(LockRequest.of("1").withName("order"), () -> {
			});
			return template.<String, RuntimeException>execute(LockRequest.of("2").withName("order"), meters::scrape);
		}
	}

	private static long count(String text, String regex) {
		return Pattern.compile(regex).matcher(text).results().count();
	}

	private static Set<String> matches(String text) {
		Set<String> found = new TreeSet<>();
		Matcher matcher = METRIC.matcher(text);
		while (matcher.find()) {
			found.add(matcher.group());
		}
		return found;
	}

}
