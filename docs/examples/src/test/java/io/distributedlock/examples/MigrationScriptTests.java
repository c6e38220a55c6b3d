package io.distributedlock.examples;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of docs/migration, run on the code that stands there as {@code before}.
 */
@EnabledOnOs(OS.LINUX)
class MigrationScriptTests {

	@TempDir
	private Path folder;

	@Test
	void lock4j() throws Exception {
		String others = """
				import com.baomidou.lock.annotation.Lock4j;
				@Lock4j(keys = {"#id"}, expire = 100)
				void pay(String id)
				@Lock4j(keys = "#id", expire = 4000, acquireTimeout = 0, autoRelease = false)
				void send(String id)
				""";
		assertThat(run("lock4j", others)).contains("@DistributedLock(key = \"#id\", leaseTime = \"100ms\")",
				"@DistributedLock(key = \"#id\", holdAtLeast = \"4000ms\", waitTime = \"0ms\")",
				"import io.distributedlock.annotation.DistributedLock;",
				"@DistributedLock(name = \"seat\", key = \"#{#hall}.#{#seat}\", waitTime = \"3000ms\", leaseTime = \"60000ms\"",
				"@DistributedLock(name = \"submit\", key = \"#user\", waitTime = \"0ms\", holdAtLeast = \"5000ms\")");
	}

	@Test
	void shedLock() throws Exception {
		String imports = """
				import net.javacrumbs.shedlock.core.LockAssert;
				import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
				@Configuration @EnableSchedulerLock(defaultLockAtMostFor = "10m") @EnableScheduling
				LockAssert.assertLocked();
				""";
		assertThat(run("shedlock", imports))
			.contains("@Configuration  @EnableScheduling", "import io.distributedlock.annotation.ScheduledLock;",
					"import io.distributedlock.LockContext;", "LockContext.current().ensureHeld();",
					"@ScheduledLock(name = \"hourly-report\", holdAtLeast = \"1m\", leaseTime = \"10m\")")
			.doesNotContain("shedlock", "EnableSchedulerLock");
	}

	private String run(String name, String imports) throws IOException, InterruptedException {
		String page = Files.readString(Path.of("../migration", name + ".md"));
		Path script = Files.writeString(this.folder.resolve(name + ".sed"), block(page, "sed"));
		Path code = Files.writeString(this.folder.resolve("Code.java"), imports + block(page, "java before"));
		Process sed = new ProcessBuilder("sed", "-E", "-f", script.toString(), code.toString())
			.redirectErrorStream(true)
			.redirectOutput(this.folder.resolve("after").toFile())
			.start();
		assertThat(sed.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
		String after = Files.readString(this.folder.resolve("after"), StandardCharsets.UTF_8);
		assertThat(sed.exitValue()).as(after).isZero();
		return after;
	}

	private static String block(String page, String language) {
		Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page);
		assertThat(block.find()).isTrue();
		return block.group(1);
	}

}
