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
							holdAtLeast = "5s", waitTime = "0s", name = "Seatssubmit")
					void submit(User user) {
					}

					@DistributedLock(key = "#id == \\"a\\"", name = "Seatspay")
					void pay(String id) {
					}

					@DistributedLock(name = "Seatssettle")
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

					@DistributedLock(keys = USER, acquireTimeout = TIME, autoRelease = false, name = "Seatssubmit")
					void submit(String user) {
					}

					@DistributedLock(keys = {}, expire = -1, name = "Seatssettle")
					void settle() {
					}

				}
				"""));
	}

	/**
	 * In lock4j all overloads share the lock of their name, and old nodes have its key.
	 */
	@Test
	void lockWithoutANameGetsThatOfLock4j() {
		rewriteRun(java("""
				package com.shop;

				import com.baomidou.lock.annotation.*;

				class Orders {

					@Lock4j(keys = "#id")
					void settle(long id) {
					}

					public @Lock4j() void settle(String id) {
					}

					@Lock4j(autoRelease = true)
					void close() {
					}

					static class Inner<T> {

						@Lock4j(name = "open")
						void open() {
						}

						@com.baomidou.lock.annotation.Lock4j(acquireTimeout = 1000)
						void close() {
						}

					}

					interface Api {

						@Lock4j(autoRelease = true)
						void call();

						@Lock4j(keys = "#id")
						void call(String id);

					}

				}
				""", """
				package com.shop;

				import io.distributedlock.annotation.DistributedLock;

				class Orders {

					@DistributedLock(key = "#id", name = "com.shop.Orderssettle")
					void settle(long id) {
					}

					public @DistributedLock(name = "com.shop.Orderssettle") void settle(String id) {
					}

					@DistributedLock(name = "com.shop.Ordersclose")
					void close() {
					}

					static class Inner<T> {

						@DistributedLock(name = "open")
						void open() {
						}

						@DistributedLock(waitTime = "1s", name = "com.shop.Orders$Innerclose")
						void close() {
						}

					}

					interface Api {

						@DistributedLock
						void call();

						@DistributedLock(key = "#id")
						void call(String id);

					}

				}
				"""));
	}

	@Test
	void valuesThatMeanAnotherLockAreLeftToTheCompiler() {
		rewriteRun(java("""
				class Texts {

					static final String USER = "#user";

				}
				"""), java(
				"""
						import java.util.List;

						import com.baomidou.lock.*;
						import com.baomidou.lock.annotation.Lock4j;
						import com.baomidou.lock.executor.LockExecutor;

						class Seats {

							@Lock4j(name = "a", keys = \"""
									#user\""")
							void textBlock(String user) {
							}

							@Lock4j(name = "b", keys = "'\\uD83D\\uDE00' + #user")
							void escapes(String user) {
							}

							@Lock4j(name = "c", keys = "#user" + ".length()")
							void joined(String user) {
							}

							@Lock4j(name = "d", keys = {Texts.USER, "#seat"})
							void constantOfAnotherClass(String user, int seat) {
							}

							@Lock4j(name = "e", keys = {"#user", ""})
							void empty(String user) {
							}

							@Lock4j(name = "f", keys = "#seats")
							void list(List<Integer> seats) {
							}

							@Lock4j(name = "g", keys = {"#hall", "#seats"})
							void array(String hall, int... seats) {
							}

							@Lock4j(name = "h", acquireTimeout = 3 * 1000, expire = 'a')
							void computed() {
							}

							@Lock4j(name = "i", expire = 0, autoRelease = false)
							void defaultTime() {
							}

							@Lock4j(name = "j", autoRelease = false)
							void forEver() {
							}

							@Lock4j(name = "k", executor = LockExecutor.class, failStrategy = DefaultLockFailureStrategy.class, keyBuilderStrategy = DefaultLockKeyBuilder.class)
							void strategies() {
							}

						}
						""",
				"""
						import java.util.List;

						import com.baomidou.lock.*;
						import com.baomidou.lock.executor.LockExecutor;
						import io.distributedlock.annotation.DistributedLock;

						class Seats {

							@DistributedLock(name = "a", keys = \"""
									#user\""")
							void textBlock(String user) {
							}

							@DistributedLock(name = "b", keys = "'\\uD83D\\uDE00' + #user")
							void escapes(String user) {
							}

							@DistributedLock(name = "c", keys = "#user" + ".length()")
							void joined(String user) {
							}

							@DistributedLock(name = "d", keys = {Texts.USER, "#seat"})
							void constantOfAnotherClass(String user, int seat) {
							}

							@DistributedLock(name = "e", keys = {"#user", ""})
							void empty(String user) {
							}

							@DistributedLock(name = "f", keys = "#seats")
							void list(List<Integer> seats) {
							}

							@DistributedLock(name = "g", keys = {"#hall", "#seats"})
							void array(String hall, int... seats) {
							}

							@DistributedLock(name = "h", acquireTimeout = 3 * 1000, expire = 'a')
							void computed() {
							}

							@DistributedLock(name = "i", expire = 0, autoRelease = false)
							void defaultTime() {
							}

							@DistributedLock(name = "j", autoRelease = false)
							void forEver() {
							}

							@DistributedLock(name = "k", executor = LockExecutor.class, failStrategy = DefaultLockFailureStrategy.class, keyBuilderStrategy = DefaultLockKeyBuilder.class)
							void strategies() {
							}

						}
						"""));
	}

	@Test
	void commentsAndNeighboursStay() {
		rewriteRun(java("""
				package com.own;

				public @interface DistributedLock {
				}
				"""), java("""
				import com.baomidou.lock.annotation.Lock4j;
				import com.own.DistributedLock;

				class Seats {

					// one at a time
					@Deprecated
					@Lock4j(/* the hall */ name = "seat", keys = /* of the seat */ "#seat" /* end */, // milliseconds
							acquireTimeout = 3000 /* short */)
					void reserve(int seat) {
					}

					@DistributedLock
					void other() {
					}

				}
				""",
				"""
						import com.own.DistributedLock;

						class Seats {

							// one at a time
							@Deprecated
							@io.distributedlock.annotation.DistributedLock(/* the hall */ name = "seat", key = /* of the seat */ "#seat" /* end */, // milliseconds
									waitTime = "3s" /* short */)
							void reserve(int seat) {
							}

							@DistributedLock
							void other() {
							}

						}
						"""));
	}

	@Test
	void whatIsOfThisLibraryAlreadyStays() {
		rewriteRun(java("""
				package io.distributedlock.annotation;

				public @interface DistributedLock {

					String name();

					String key();

				}
				"""), java("""
				import io.distributedlock.annotation.DistributedLock;

				class Seats {

					@DistributedLock(name = "seat", key = "#seat")
					void reserve(int seat) {
					}

				}
				"""));
	}

	@Test
	void classWithBothLibraries() {
		rewriteRun((spec) -> spec
			.recipeFromResources("io.distributedlock.rewrite.FromLock4j", "io.distributedlock.rewrite.FromShedLock")
			.parser(JavaParser.fromJavaVersion().classpath("lock4j-core", "shedlock-spring")), java("""
					import com.baomidou.lock.annotation.Lock4j;
					import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

					class Seats {

						@SchedulerLock(name = "sweep", lockAtLeastFor = "1m")
						@Lock4j(name = "seats", expire = 60000)
						void sweep() {
						}

					}
					""", """
					import io.distributedlock.annotation.DistributedLock;
					import io.distributedlock.annotation.ScheduledLock;

					class Seats {

						@ScheduledLock(name = "sweep", holdAtLeast = "1m")
						@DistributedLock(name = "seats", leaseTime = "60s")
						void sweep() {
						}

					}
					"""));
	}

}
