package io.distributedlock.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockContext;
import io.distributedlock.LockKeyLayout;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.ScheduledLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LocalLockAutoConfiguration;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The full keys that the page about annotations tells.
 */
class FullKeysExampleTests {

	private static final Path PAGE = Path.of("../reference/annotations.md");

	private static final String HEAD = "| prefix | name | key | layout | full key |";

	private static final Map<String, LockKeyLayout> LAYOUTS = Map.of("default", LockKeyLayout.DEFAULT,
			"prefix + \":\" + name + \"#\" + key", (prefix, name, key) -> prefix + ":" + name + "#" + key,
			"prefix + \".\" + name + \"-\" + key", (prefix, name, key) -> prefix + "." + name + "-" + key);

	@TestFactory
	List<DynamicTest> pageTellsTheFullKey() throws IOException {
		List<String> rows = Files.readString(PAGE)
			.lines()
			.dropWhile((line) -> !line.equals(HEAD))
			.skip(2)
			.takeWhile((line) -> line.startsWith("|"))
			.toList();
		assertThat(rows).hasSizeGreaterThanOrEqualTo(10);
		return rows.stream().map((row) -> DynamicTest.dynamicTest(row, () -> assertRow(row))).toList();
	}

	private static void assertRow(String row) {
		List<String> cells = Arrays.stream(row.substring(1).split("\\|"))
			.map((cell) -> cell.strip().replace("`", ""))
			.map((cell) -> cell.equals("none") ? "" : cell)
			.toList();
		boolean exact = cells.get(3).equals("exact");
		LockRequest request = cells.get(2).isEmpty() ? LockRequest.ofName(cells.get(1)) : cells.get(1).isEmpty()
				? LockRequest.of(cells.get(2)) : LockRequest.of(cells.get(2)).withName(cells.get(1));
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider())
			.keyPrefix(cells.get(0))
			.keyLayout(LAYOUTS.getOrDefault(exact ? "default" : cells.get(3), (prefix, name, key) -> null))
			.build()) {
			String fullKey = template.execute(request.withExactKey(exact), () -> LockContext.current().key());
			assertThat(fullKey).isEqualTo(cells.get(4));
		}
	}

	@Test
	void layoutLooksAtTheName() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DistributedLockAutoConfiguration.class, LocalLockAutoConfiguration.class))
			.withUserConfiguration(Application.class)
			.withBean(Settlements.class)
			.withPropertyValues("lock.provider=local", "lock.key-prefix=shop:lock")
			.run((context) -> {
				Settlements settlements = context.getBean(Settlements.class);
				assertThat(settlements.settle(42)).isEqualTo("lock4j:com.shop.OrderServicesettle#42");
				assertThat(settlements.refund(42)).isEqualTo("shop:lock:refund:42");
				assertThat(settlements.change(42)).isEqualTo("order_42");
				assertThat(settlements.report()).isEqualTo("job-lock:prod:report");
			});
	}

	static class Settlements {

		@DistributedLock(name = "com.shop.OrderServicesettle", key = "#id")
		public String settle(long id) {
			return LockContext.current().key();
		}

		@DistributedLock(name = "refund", key = "#id")
		public String refund(long id) {
			return LockContext.current().key();
		}

		@ScheduledLock(holdAtLeast = "1ms", key = "'job-lock:prod:report'", exactKey = true)
		public String report() {
			return LockContext.current().key();
		}

		@DistributedLock(key = "'order_' + #id", exactKey = true)
		public String change(long id) {
			return LockContext.current().key();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		LockKeyLayout keyLayout() {
			return (prefix, name, key) -> name.startsWith("com.shop.") ? "lock4j:" + name + "#" + key
					: LockKeyLayout.DEFAULT.fullKey(prefix, name, key);
		}

	}

}
