package io.distributedlock.benchmarks.contention;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.distributedlock.benchmarks.contention.measure.Results;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The command works: it measures, checks that sections do not overlap, and writes tables
 * and pictures. The speed is not tested, because it depends on the machine.
 */
@EnabledIfSystemProperty(named = "lock.test.one-generation", matches = "false")
class ContentionTests {

	private static final String BEGIN = "<!-- measured: three-jvms -->\n";

	@TempDir
	Path folder;

	@Test
	void twoContendersAreMeasured() throws Exception {
		Path page = Files.writeString(this.folder.resolve("page.md"),
				"# Title\n" + BEGIN + "old\n<!-- end -->\nrest\n");
		assertThat(Contention.run("--rows=three-jvms,uncontended", "--contenders=redis,redisson-lock,by-hand",
				"--rounds=1", "--warm-up=1s", "--time=1s", "--output=" + this.folder, "--page=" + page))
			.isZero();
		Results results = Results.in(this.folder);
		assertThat(results.row("three-jvms")).containsOnlyKeys("redis", "redisson-lock").allSatisfy((name, values) -> {
			assertThat(values.get("entries-per-second")[0]).isPositive();
			assertThat(values.get("overlaps")).containsOnly(0);
			assertThat(values.get("lost-updates")).containsOnly(0);
			assertThat(values.get("failures")).containsOnly(0);
		});
		assertThat(results.row("uncontended")).containsOnlyKeys("redis", "redisson-lock", "by-hand")
			.allSatisfy((name, values) -> assertThat(values).containsKey("bytes-per-cycle"));
		assertThat(results.row("uncontended").get("redis").get("ratio")).hasSize(20).doesNotContain(0);
		assertThat(page).content()
			.startsWith("# Title\n" + BEGIN)
			.endsWith("<!-- end -->\nrest\n")
			.contains("| provider `redis` | ")
			.doesNotContain("old");
		assertThat(this.folder.resolve("contention.svg")).content().contains("<polyline").endsWith("</svg>\n");
		assertThat(this.folder.resolve("waits.svg")).content()
			.contains("<polyline", ">provider redis</text>")
			.endsWith("</svg>\n");
		assertThat(this.folder.resolve("tables.md")).content().contains("3 JVMs × 2 threads", "One thread");
	}

	@Test
	void aLockThatDoesNotLockLosesUpdates() throws Exception {
		assertThat(Contention.run("--rows=no-lost-update", "--contenders=redis,no-lock", "--quick",
				"--output=" + this.folder))
			.isZero();
		Map<String, Map<String, double[]>> measured = Results.in(this.folder).row("no-lost-update");
		assertThat(measured.get("redis").get("increments")[0]).isPositive();
		assertThat(measured.get("redis").get("lost-updates")).containsExactly(0);
		assertThat(measured.get("redis").get("tokens-not-risen")).containsExactly(0);
		assertThat(measured.get("no-lock").get("lost-updates")[0]).isPositive();
		assertThat(measured.get("no-lock").get("overlaps")[0]).isPositive();
		assertThat(this.folder.resolve("tables.md")).content().contains("control: no lock at all");
	}

	@Test
	void contenderThatARowDoesNotAdmitIsNotInItsTable() throws Exception {
		Results results = Results.in(this.folder);
		results.add("three-jvms", "redis", 1, "overlaps", 0);
		results.add("three-jvms", "by-hand", 1, "overlaps", 0);
		results.addEntries("three-jvms", "by-hand", 1, 50, 7);
		new Report(results).write(this.folder, null);
		assertThat(this.folder.resolve("tables.md")).content().contains("provider `redis`").doesNotContain("by hand");
		assertThat(this.folder.resolve("contention.svg")).content().doesNotContain("<polyline");
	}

	@Test
	void anUnknownOptionIsRefused() throws Exception {
		assertThat(Contention.run("--colour=red")).isEqualTo(2);
	}

}
