package io.distributedlock.sample;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.ChildJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Uses the sample as the page does, and ends it as its user does.
 */
// five JVMs start, beside those of other tests
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@EnabledIfSystemProperty(named = "lock.test.brief", matches = "false")
class PageTests {

	@Test
	void pageShowsTheMetersOfItsNodesAndKillsOneAndAllProcessesEndWithIt() {
		try (ChildJvm demo = ChildJvm.start(SampleApplication.class, "--server.port=0")) {
			String line = demo.awaitLine("[demo] The page: ");
			Page page = new Page(line.substring(line.indexOf("http"), line.indexOf("    ")));
			page.post("/demo/mode/LOCKED");
			await("the meters of all nodes", page, (state) -> nodes(state).stream().allMatch(PageTests::hasMeters));
			assertThat(page.text("/")).contains("app.js");

			Object killed = nodes(page.state()).get(0).get("pid");
			page.post("/demo/kill/1");
			await("the killed node is replaced", page, (state) -> {
				Map<String, Object> node = nodes(state).get(0);
				return !killed.equals(node.get("pid")) && hasMeters(node);
			});
			assertThat(figures(page.state(), "LOCKED")).containsEntry("failed", 0);
			assertAllProcessesEndWith(demo);
		}
	}

	private static void assertAllProcessesEndWith(ChildJvm demo) {
		List<ProcessHandle> started = ProcessHandle.current()
			.descendants()
			.filter((process) -> isOfDemo(process))
			.toList();
		assertThat(started).as("the coordinator, three nodes and perhaps Redis").hasSizeGreaterThanOrEqualTo(4);
		demo.terminate();
		Patience.await().until(() -> started.stream().noneMatch(ProcessHandle::isAlive));
		demo.awaitLine("  without the lock");
	}

	private static boolean isOfDemo(ProcessHandle process) {
		String command = process.info().commandLine().orElse("");
		return command.contains(SampleApplication.class.getName()) || command.contains("redis-server");
	}

	private static void await(String what, Page page, Predicate<Map<String, Object>> condition) {
		Patience.await(what)
			.atMost(Patience.LIMIT.multipliedBy(3))
			.pollInterval(Duration.ofMillis(250))
			.until(page::state, condition);
	}

	@SuppressWarnings("unchecked")
	private static boolean hasMeters(Map<String, Object> node) {
		if (!(node.get("locks") instanceof Map<?, ?> locks)) {
			return false;
		}
		Map<String, Integer> outcomes = (Map<String, Integer>) locks.get("outcomes");
		return "UP".equals(locks.get("status")) && "redisson".equals(locks.get("provider"))
				&& locks.get("roundTripMillis") != null && outcomes.getOrDefault("acquired", 0) > 1
				&& locks.get("meanWaitMillis") != null && locks.get("longestWaitMillis") != null
				&& Integer.valueOf(0).equals(locks.get("lost"));
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> nodes(Map<String, Object> state) {
		return (List<Map<String, Object>>) state.get("nodes");
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> figures(Map<String, Object> state, String mode) {
		return ((List<Map<String, Object>>) state.get("figures")).stream()
			.filter((each) -> mode.equals(each.get("mode")))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Calls the coordinator as the page's script does.
	 */
	private static final class Page {

		private final RestClient client;

		Page(String url) {
			this.client = RestClient.create(url);
		}

		String text(String path) {
			return this.client.get().uri(path).retrieve().body(String.class);
		}

		Map<String, Object> state() {
			return this.client.get().uri("/demo/state").retrieve().body(new ParameterizedTypeReference<>() {
			});
		}

		void post(String path) {
			this.client.post().uri(path).retrieve().toBodilessEntity();
		}

	}

}
