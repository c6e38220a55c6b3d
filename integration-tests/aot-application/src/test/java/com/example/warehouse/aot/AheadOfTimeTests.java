package com.example.warehouse.aot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import com.example.warehouse.WarehouseApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application with what the build has generated for it: its locks work, and what the
 * build has fixed cannot be chosen anew.
 */
@Timeout(300)
class AheadOfTimeTests {

	private static final String ORDER = "warehouse:lock:orders:OrderId%5B2026,7%5D";

	@Test
	void methodsRunUnderTheirLocks() throws InterruptedException {
		try (WarehouseJvm application = WarehouseJvm.aheadOfTime()) {
			assertThat(application.saw()).containsExactly("ahead of time: true", "settle: " + ORDER,
					"deliver: warehouse:lock:customers:Ada in transaction: true", "take: warehouse:lock:parts:42",
					"outside: none");
		}
	}

	@Test
	void instancesExcludeEachOther(@TempDir Path directory) throws IOException, InterruptedException {
		String database = "--spring.datasource.url=jdbc:h2:file:%s/locks;AUTO_SERVER=TRUE".formatted(directory);
		try (WarehouseJvm first = WarehouseJvm.aheadOfTime(database, "--" + WarehouseApplication.HOLD)) {
			first.awaitLine(WarehouseApplication.PREFIX + "holds: " + ORDER);
			try (WarehouseJvm second = WarehouseJvm.aheadOfTime(database)) {
				assertThat(second.saw()).contains("settle: later: " + ORDER);
			}
			first.goOn();
			assertThat(first.saw()).contains("settle: " + ORDER);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock.provider", "lock.providers" })
	void providerThatTheBuildLeftOutIsRefused(String property) throws InterruptedException {
		try (WarehouseJvm application = WarehouseJvm.aheadOfTime("--%s=redis".formatted(property))) {
			assertThat(application.failure()).contains("APPLICATION FAILED TO START", property
					+ " names 'redis', but the application was processed ahead of time (Spring AOT) with [jdbc].",
					"Set lock.provider=redis where process-aot runs");
		}
	}

	@Test
	void locksCannotBeSwitchedOff() throws InterruptedException {
		try (WarehouseJvm application = WarehouseJvm.aheadOfTime("--lock.enabled=false")) {
			assertThat(application.failure()).contains("APPLICATION FAILED TO START",
					"lock.enabled is false, but it was true when the application was processed ahead of time",
					"Set lock.enabled=false where process-aot runs");
		}
	}

	@Test
	void checkAtTheStartCannotBeAdded() throws InterruptedException {
		try (WarehouseJvm application = WarehouseJvm.aheadOfTime("--lock.fail-fast=true")) {
			assertThat(application.failure()).contains("lock.fail-fast is true, but it was false");
		}
	}

	@Test
	void sameFilesChooseAnewWithoutSpringAot() throws InterruptedException {
		try (WarehouseJvm application = WarehouseJvm.atRunTime("--lock.provider=local")) {
			List<String> saw = application.saw();
			assertThat(saw).contains("ahead of time: false", "settle: " + ORDER);
		}
	}

}
