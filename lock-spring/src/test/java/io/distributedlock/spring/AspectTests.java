package io.distributedlock.spring;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.AfterReturning;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.aspectj.lang.annotation.Pointcut;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Aspects of the application that bind annotations, arguments, proxy, target and result
 * work on each return type, outside and inside of the lock.
 */
class AspectTests {

	static Stream<Arguments> cases() {
		return Stream.of(0, Ordered.LOWEST_PRECEDENCE)
			.flatMap((order) -> Stream.of(true, false)
				.flatMap((ofClass) -> Arrays.stream(MatrixTests.Returned.values())
					.map((returned) -> arguments(order, ofClass, returned))));
	}

	@ParameterizedTest
	@MethodSource("cases")
	void aspectsSeeTheCall(int order, boolean proxyTargetClass, MatrixTests.Returned returned) {
		RecordingProvider provider = new RecordingProvider();
		Audit audit = new Audit(order);
		try (AnnotationConfigApplicationContext context = Contexts.open(provider, false, proxyTargetClass, (beans) -> {
			beans.register(proxyTargetClass ? ClassProxies.class : InterfaceProxies.class);
			beans.registerBean("calls", MatrixTests.OnMethods.class);
			beans.registerBean(Audit.class, () -> audit);
		})) {
			MatrixTests.Calls calls = context.getBean(MatrixTests.Calls.class);
			assertThat(AopUtils.isCglibProxy(calls)).isEqualTo(proxyTargetClass);
			returned.call(calls, () -> {
				provider.record("work");
				return "done";
			});
		}
		assertThat(provider.events()).containsExactly("acquire t:m:k", "work", "release t:m:k");
		assertThat(audit.seen).containsExactlyInAnyOrder("annotation m", "arguments k", "proxy", "target", "result");
	}

	/**
	 * An aspect with a time-out may run the method on a thread of its own.
	 */
	@Test
	void methodFindsItsLockOnTheThreadOfAnAspect() {
		RecordingProvider provider = new RecordingProvider();
		try (AnnotationConfigApplicationContext context = Contexts.open(provider, false, ClassProxies.class,
				Moving.class, Moved.class)) {
			assertThat(context.getBean(Moved.class).run("1")).isEqualTo("t:moved:1");
			assertThat(provider.events()).containsExactly("acquire t:moved:1", "release t:moved:1");
		}
	}

	@Aspect
	static class Moving {

		@Around("execution(* io.distributedlock.spring.AspectTests.Moved.run(..))")
		Object onAnotherThread(ProceedingJoinPoint call) {
			return CompletableFuture.supplyAsync(() -> proceed(call), (task) -> new Thread(task).start()).join();
		}

		private static Object proceed(ProceedingJoinPoint call) {
			try {
				return call.proceed();
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Moved {

		@Lazy
		@Autowired
		private Moved self;

		@DistributedLock(name = "moved", key = "#id")
		public String run(String id) {
			return this.self.again(id);
		}

		@DistributedLock(name = "moved", key = "#id", waitTime = "0")
		public String again(String id) {
			return LockedBeans.heldKey();
		}

	}

	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class ClassProxies {

	}

	@EnableAspectJAutoProxy
	static class InterfaceProxies {

	}

	@Aspect
	static class Audit implements Ordered {

		private final List<String> seen = new CopyOnWriteArrayList<>();

		private final int order;

		Audit(int order) {
			this.order = order;
		}

		@Override
		public int getOrder() {
			return this.order;
		}

		@Pointcut("execution(* io.distributedlock.spring.MatrixTests.Calls.*(..))")
		void calls() {
		}

		@Around("calls() && @annotation(matrix)")
		Object annotation(ProceedingJoinPoint call, MatrixTests.Matrix matrix) throws Throwable {
			this.seen.add("annotation " + MatrixTests.Matrix.class.getAnnotation(DistributedLock.class).name());
			return call.proceed();
		}

		@Around("calls() && args(id, work)")
		Object arguments(ProceedingJoinPoint call, String id, Supplier<String> work) throws Throwable {
			this.seen.add("arguments " + id);
			return call.proceed(new Object[] { id, work });
		}

		@Before("calls() && this(proxy)")
		void proxy(MatrixTests.Calls proxy) {
			this.seen.add(AopUtils.isAopProxy(proxy) ? "proxy" : "no proxy");
		}

		@Before("calls() && target(target)")
		void target(MatrixTests.OnMethods target) {
			this.seen.add(AopUtils.isAopProxy(target) ? "a proxy" : "target");
		}

		@AfterReturning(pointcut = "calls()", returning = "result")
		void result(Object result) {
			this.seen.add("result");
		}

	}

}
