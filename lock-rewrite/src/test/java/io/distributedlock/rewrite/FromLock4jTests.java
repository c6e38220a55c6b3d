package io.distributedlock.rewrite;

import org.junit.jupiter.api.Test;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

import static org.openrewrite.java.Assertions.java;

class FromLock4jTests implements RewriteTest {

	@Override
	public void defaults(RecipeSpec spec) {
		spec.recipeFromResources("io.distributedlock.rewrite.FromLock4j")
			.parser(JavaParser.fromJavaVersion().classpath("lock4j-core"));
	}

	@Test
	void attributesThatMeanTheSame() {
		rewriteRun(java("""
				import com.baomidou.lock.annotation.Lock4j;

				class Seats {

					@Lock4j(name = "seat", keys = {"#hall", "#seat"}, acquireTimeout = 3000, expire = 1_500L)
					void reserve(String hall, int seat) {
					}

					@Lock4j(autoRelease = false, keys = { "#user.id" },
							expire = 5000, acquireTimeout = 0)
					void submit(User user) {
					}

					@Lock4j(keys = "#id == \\"a\\"")
					void pay(String id) {
					}

					@Lock4j
					void settle() {
					}

					record User(String id) {
					}

				}
				""", """
				import io.distributedlock.annotation.DistributedLock;

				class Seats {

					@DistributedLock(name = "seat", key = "#{#hall}.#{#seat}", waitTime = "3s", leaseTime = "1500ms")
					void reserve(String hall, int seat) {
					}

					@DistributedLock(key = "#user.id",
							holdAtLeast = "5s", waitTime = "0s")
					void submit(User user) {
					}

					@DistributedLock(key = "#id == \\"a\\"")
					void pay(String id) {
					}

					@DistributedLock
					void settle() {
					}

					record User(String id) {
					}

				}
				"""));
	}

	@Test
	void whatHasNoEqualIsLeftToTheCompiler() {
		rewriteRun(java("""
				import com.baomidou.lock.annotation.Lock4j;

				class Seats {

					static final int TIME = 3000;

					static final String USER = "#user";

					@Lock4j(keys = USER, acquireTimeout = TIME, autoRelease = false)
					void submit(String user) {
					}

					@Lock4j(keys = {}, expire = -1, autoRelease = true)
					void settle() {
					}

				}
				""", """
				import io.distributedlock.annotation.DistributedLock;

				class Seats {

					static final int TIME = 3000;

					static final String USER = "#user";

					@DistributedLock(keys = USER, acquireTimeout = TIME, autoRelease = false)
					void submit(String user) {
					}

					@DistributedLock(keys = {}, expire = -1)
					void settle() {
					}

				}
				"""));
	}

}
