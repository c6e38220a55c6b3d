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

	@Test
	void timesStayAsTheyAreWritten() {
		rewriteRun(java("""
				class Times {

					static final String LONG = "PT30M";

				}
				"""), java(
				"""
						import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

						class Reports {

							static final String PREFIX = "report-";

							@SchedulerLock(name = PREFIX + "daily", lockAtMostFor = Times.LONG, lockAtLeastFor = "${reports.least:30s}")
							void daily() {
							}

							@SchedulerLock(name = "weekly", /* longest run: */ lockAtMostFor = "PT1H",
									lockAtLeastFor = \"""
											PT30S\""")
							void weekly() {
							}

							static class Inner {

								@net.javacrumbs.shedlock.spring.annotation.SchedulerLock(name = "inner", lockAtLeastFor = "5s")
								void run() {
								}

							}

						}
						""",
				"""
						import io.distributedlock.annotation.ScheduledLock;

						class Reports {

							static final String PREFIX = "report-";

							@ScheduledLock(name = PREFIX + "daily", leaseTime = Times.LONG, holdAtLeast = "${reports.least:30s}")
							void daily() {
							}

							@ScheduledLock(name = "weekly", /* longest run: */ leaseTime = "PT1H",
									holdAtLeast = \"""
											PT30S\""")
							void weekly() {
							}

							static class Inner {

								@ScheduledLock(name = "inner", holdAtLeast = "5s")
								void run() {
								}

							}

						}
						"""));
	}

	/**
	 * The annotations of this library take no annotation types, need a minimum, and name
	 * a provider themselves.
	 */
	@Test
	void whatHasNoEqualIsLeftToTheCompiler() {
		rewriteRun(java("""
				import net.javacrumbs.shedlock.spring.annotation.*;

				@SchedulerLock(name = "any", lockAtLeastFor = "1m")
				@interface Locked {
				}
				""", """
				import io.distributedlock.annotation.ScheduledLock;

				@ScheduledLock(name = "any", holdAtLeast = "1m")
				@interface Locked {
				}
				"""), java("""
				import net.javacrumbs.shedlock.spring.annotation.*;

				@EnableSchedulerLock(defaultLockAtMostFor = "10m", defaultLockAtLeastFor = "1m",
						interceptMode = EnableSchedulerLock.InterceptMode.PROXY_METHOD)
				@LockProviderToUse("first")
				class Reports {

					@SchedulerLock(name = "daily")
					@LockProviderToUse("second")
					void daily() {
					}

				}
				""", """
				import io.distributedlock.annotation.ScheduledLock;
				import net.javacrumbs.shedlock.spring.annotation.LockProviderToUse;

				@LockProviderToUse(provider = "first")
				class Reports {

					@ScheduledLock(name = "daily")
					@LockProviderToUse(provider = "second")
					void daily() {
					}

				}
				"""));
	}

	@Test
	void whatIsOfThisLibraryAlreadyStays() {
		rewriteRun(java("""
				package io.distributedlock.annotation;

				public @interface ScheduledLock {

					String name();

					String holdAtLeast();

				}
				"""), java("""
				import io.distributedlock.annotation.ScheduledLock;

				class Reports {

					@ScheduledLock(name = "daily", holdAtLeast = "1m")
					void daily() {
					}

				}
				"""));
	}

}
