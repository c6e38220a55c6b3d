package io.distributedlock.rewrite;

import org.junit.jupiter.api.Test;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

import static org.openrewrite.java.Assertions.java;

class FromShedLockTests implements RewriteTest {

	@Override
	public void defaults(RecipeSpec spec) {
		spec.recipeFromResources("io.distributedlock.rewrite.FromShedLock")
			.parser(JavaParser.fromJavaVersion().classpath("shedlock-spring"));
	}

	@Test
	void schedulesAndTheirSwitch() {
		rewriteRun(java("""
				import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				@EnableSchedulerLock(defaultLockAtMostFor = "10m")
				class Reports {

					@SchedulerLock(name = "hourly-report", lockAtLeastFor = "1m", lockAtMostFor = "10m")
					void write() {
					}

				}
				""", """
				import io.distributedlock.annotation.ScheduledLock;

				class Reports {

					@ScheduledLock(name = "hourly-report", holdAtLeast = "1m", leaseTime = "10m")
					void write() {
					}

				}
				"""));
	}

}
