package io.distributedlock.spring;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.annotation.ScheduledLock;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.LockProvider;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.interceptor.SimpleTraceInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs under the agent of AspectJ, which weaves the locks into the methods.
 */
@EnabledIfSystemProperty(named = "lock.test.woven", matches = "true")
class WovenTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void callsWithinTheSameObjectPrivateAndFinalMethodsAreLocked() {
		try (AnnotationConfigApplicationContext context = open(Woven.class)) {
			Woven woven = context.getBean(Woven.class);
			assertThat(AopUtils.isAopProxy(woven)).isFalse();
			assertThat(RecordingProvider.shortened(woven.outer("1", null))).isEqualTo("t:Woven.outer:1 secret fixed");
			assertThat(this.provider.keys()).containsExactly("t:Woven.outer:1", "t:Woven.secret:1", "t:Woven.fixed:1");
			assertThat(this.provider.events()).hasSize(6);
			assertThat(woven.future("1").join()).isEqualTo("future");
			woven.scheduled();
			assertThat(this.provider.keys()).endsWith("t:Woven.future:1", "t:Woven.scheduled");
		}
		this.provider.events().clear();
		assertThatExceptionOfType(LockNotAcquiredException.class).as("after the context was closed")
			.isThrownBy(() -> new Woven().outer("1", null))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LockNotAcquiredException.Reason.CLOSED));
		assertThat(this.provider.events()).isEmpty();
	}

	@Test
	void annotationOnTheClassAppliesToItsPublicMethods() {
		try (AnnotationConfigApplicationContext context = open(WovenClass.class)) {
			context.getBean(WovenClass.class).open();
			assertThat(this.provider.keys()).containsExactly("t:WovenClass.open");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Implementing.class, Overriding.class, Inheriting.class, OfAnnotatedInterface.class,
			CoroutineTests.Coroutines.class, Static.class, ThriceComposed.class })
	void methodThatIsNotWovenIsRefused(Class<?> type) {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> open(type).close())
			.havingRootCause()
			.isInstanceOf(InvalidLockOperationException.class)
			.withMessageContaining("lock.mode")
			.withMessageContaining(type.getSimpleName());
	}

	@Test
	void proxyOfAnInterfaceIsRefused() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> open(this.provider,
					(context) -> context.registerBean(Booking.class,
							() -> ProxyFactory.getProxy(Booking.class, (MethodInterceptor) (call) -> null)))
				.close())
			.withMessageContaining("lock.mode=proxy");
	}

	@Test
	void composedAnnotationsAreWoven() {
		try (AnnotationConfigApplicationContext context = open(Composed.class)) {
			context.getBean(Composed.class).run();
			context.getBean(Composed.class).twice();
			assertThat(this.provider.keys()).containsExactly("t:Composed.run", "t:a:x", "t:b:x");
		}
	}

	@Test
	void callBySuperRunsUnderTheLockOfTheOverride() {
		LocalLockProvider local = new LocalLockProvider();
		try (AnnotationConfigApplicationContext context = open(local,
				(beans) -> beans.registerBean(OverridingSemaphore.class))) {
			OverridingSemaphore bean = context.getBean(OverridingSemaphore.class);
			assertThat(bean.limited("x")).isEqualTo("base x under x");
			assertThat(bean.limited("other")).isEqualTo("base y under y");
			assertThat(bean.around("x")).isEqualTo("base x under x");
		}
	}

	@Test
	void classThatSpringHasSubclassedIsLockedOnce() {
		LocalLockProvider local = new LocalLockProvider();
		try (AnnotationConfigApplicationContext context = open(local, (beans) -> {
			beans.registerBean(SemaphoreClass.class);
			beans.registerBean(Traced.class);
		})) {
			SemaphoreClass bean = context.getBean(SemaphoreClass.class);
			assertThat(AopUtils.isCglibProxy(bean)).isTrue();
			assertThat(bean.limited()).isEqualTo("limited");
		}
	}

	@Test
	void initializationIsLocked() {
		open(Initialized.class).close();
		assertThat(this.provider.keys()).containsExactly("t:Initialized.load");
	}

	@Test
	void mistakesAreFoundAtTheStart() {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> open(Mistaken.class).close())
			.withMessageContaining("#nobody");
		assertThatExceptionOfType(InvalidLockOperationException.class)
			.isThrownBy(() -> open(WovenSemaphore.class).close())
			.withMessageContaining("SEMAPHORE");
	}

	@Test
	void newestContextIsUsed() {
		RecordingProvider second = new RecordingProvider();
		try (AnnotationConfigApplicationContext first = open(Woven.class)) {
			try (AnnotationConfigApplicationContext other = open(second,
					(context) -> context.registerBean(Woven.class))) {
				other.getBean(Woven.class).outer("2", null);
			}
			assertThat(second.keys()).hasSize(3);
			assertThat(this.provider.keys()).isEmpty();
			first.getBean(Woven.class).outer("1", null);
			assertThat(this.provider.keys()).hasSize(3);
		}
	}

	private AnnotationConfigApplicationContext open(Class<?> type) {
		return open(this.provider, (context) -> context.registerBean(type));
	}

	private static AnnotationConfigApplicationContext open(LockProvider provider,
			Consumer<AnnotationConfigApplicationContext> beans) {
		return Contexts.open(provider, false, true, beans);
	}

	static class Woven {

		@DistributedLock("#id")
		public String outer(String id, @Nullable LockHandle handle) {
			return ((handle != null) ? handle.key() : "unlocked") + " " + secret(id) + " " + fixed(id);
		}

		@DistributedLock("#id")
		private String secret(String id) {
			return "secret" + (id.isEmpty() ? "?" : "");
		}

		@DistributedLock("#id")
		public final String fixed(String id) {
			return "fixed";
		}

		@DistributedLock("#id")
		public CompletableFuture<String> future(String id) {
			return CompletableFuture.completedFuture("future");
		}

		@ScheduledLock(holdAtLeast = "0")
		void scheduled() {
		}

	}

	@DistributedLock
	static class WovenClass {

		public void open() {
			hidden();
		}

		private void hidden() {
		}

	}

	interface Booking {

		@DistributedLock("#id")
		void book(String id);

	}

	static class Base {

		@DistributedLock
		void overridden() {
		}

		public void inherited() {
		}

	}

	static class Implementing implements Booking {

		@Override
		public void book(String id) {
		}

	}

	static class Overriding extends Base {

		@Override
		void overridden() {
		}

	}

	@DistributedLock
	static class Inheriting extends Base {

		public void inherit() {
		}

	}

	@DistributedLock
	interface AnnotatedInterface {

	}

	static class OfAnnotatedInterface implements AnnotatedInterface {

		public void run() {
		}

	}

	static class Static {

		@DistributedLock
		static void run() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock
	@interface Once {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Once
	@interface Nightly {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Nightly
	@interface EveryNight {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "a", key = "'x'")
	@DistributedLock(name = "b", key = "'x'")
	@interface Both {

	}

	static class Composed {

		@Nightly
		public void run() {
		}

		@Both
		public void twice() {
		}

	}

	static class ThriceComposed {

		@EveryNight
		public void run() {
		}

	}

	static class BaseSemaphore {

		@DistributedSemaphore(key = "#id", permits = "1", waitTime = "0")
		public String limited(String id) {
			return "base " + id + " under " + LockContext.current().key().split(":", -1)[2];
		}

	}

	static class OverridingSemaphore extends BaseSemaphore {

		@Override
		@DistributedSemaphore(key = "#id", permits = "1", waitTime = "0")
		public String limited(String id) {
			return super.limited(id.equals("other") ? "y" : id);
		}

		String around(String id) {
			return super.limited(id);
		}

	}

	@DistributedSemaphore(permits = "1", waitTime = "0")
	static class SemaphoreClass {

		public String limited() {
			return "limited";
		}

	}

	static class Traced extends AbstractBeanFactoryAwareAdvisingPostProcessor {

		private static final long serialVersionUID = 1L;

		Traced() {
			this.advisor = new DefaultPointcutAdvisor(new SimpleTraceInterceptor());
			setProxyTargetClass(true);
		}

		@Override
		protected boolean isEligible(Class<?> targetClass) {
			return targetClass == SemaphoreClass.class;
		}

	}

	static class Initialized implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
			load();
		}

		@DistributedLock
		private void load() {
		}

	}

	static class Mistaken {

		@DistributedLock("#nobody")
		private void run() {
		}

		public void call() {
			run();
		}

	}

	static class WovenSemaphore {

		@DistributedSemaphore(permits = "2")
		public void run() {
		}

	}

}
