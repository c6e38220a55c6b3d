package io.distributedlock.spring;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.annotation.ScheduledLock;
import io.distributedlock.spring.internal.reach.LockAnnotations;
import io.distributedlock.test.patience.Patience;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.commons.util.ExceptionUtils;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * A mistake in any method stops the start of the application. Spring stops at the first
 * locked method of a bean that has a proxy already, and of a proxy of interfaces; the
 * mistake is found also in a method behind that.
 */
@Tag("proxies")
class MistakesAtStartTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void mistakeInALaterMethodOfATransactionalBean() {
		assertThatStartFails(() -> withTransactions(MisspelledLater.class), "MisspelledLater.later", "nope");
	}

	@Test
	void missingProviderOfALaterMethodOfATransactionalBean() {
		assertThatStartFails(() -> withTransactions(UnservedLater.class), "UnservedLater.later", "nowhere");
	}

	/**
	 * What creates it may catch the exception, and try again.
	 */
	@ParameterizedTest
	@ValueSource(classes = { MisspelledLater.class, UnservedLater.class })
	void mistakeOfALazyBeanIsToldEachTime(Class<?> type) {
		try (AnnotationConfigApplicationContext context = withTransactions(type, (bean) -> bean.setLazyInit(true))) {
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean(type))
					.withMessageContaining(type.getSimpleName() + ".later");
			}
		}
	}

	/**
	 * Two threads create two beans, and the first one is still checking.
	 */
	@Test
	void mistakeOfABeanIsToldByThatBeanAlone() throws InterruptedException {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		LockTemplate template = (LockTemplate) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockTemplate.class }, (proxy, method, arguments) -> {
					LockRequest request = (LockRequest) arguments[0];
					if (request.name().equals("slow")) {
						asked.countDown();
						goOn.await();
					}
					if (request.provider() != null) {
						throw new IllegalArgumentException("nowhere");
					}
					return null;
				});
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(DistributedLockBeanPostProcessor.class,
					() -> new DistributedLockBeanPostProcessor(() -> template, DistributedLockSettings.DEFAULTS));
			context.registerBean(Unserved.class, (bean) -> bean.setScope(BeanDefinition.SCOPE_PROTOTYPE));
			context.registerBean(Served.class, (bean) -> bean.setScope(BeanDefinition.SCOPE_PROTOTYPE));
			context.refresh();
			CompletableFuture<Object> unserved = CompletableFuture.supplyAsync(() -> context.getBean(Unserved.class),
					(task) -> new Thread(task).start());
			asked.await();
			assertThatNoException().isThrownBy(() -> context.getBean(Served.class));
			goOn.countDown();
			assertThat(unserved).failsWithin(Patience.LIMIT).withThrowableThat().withMessageContaining("nowhere");
		}
		finally {
			goOn.countDown();
		}
	}

	@Test
	void mistakeInALaterMethodBehindAnInterface() {
		assertThatStartFails(() -> Contexts.openWithInterfaceProxies(this.provider, MisspelledApi.class),
				"MisspelledApi.later", "nope");
	}

	@Test
	void lockOnAMethodThatCreatesABean() {
		assertThatStartFails(() -> Contexts.open(this.provider, false, LockedCreation.class), "LockedCreation.orders",
				"the creation of the bean");
	}

	@Test
	void handleOfAMethodThatSpringCalls() {
		assertThatStartFails(() -> Contexts.open(this.provider, false, Scheduling.class), "Scheduling.run",
				"@Scheduled", "LockContext.current()");
		assertThatStartFails(() -> Contexts.open(this.provider, false, Listening.class), "Listening.on",
				"@TransactionalEventListener", "LockContext.current()");
		assertThatStartFails(() -> Contexts.open(this.provider, false, Querying.class), "Querying.on", "@QueryMapping",
				"LockContext.current()");
		Contexts.open(this.provider, false, Web.class).close();
	}

	/**
	 * The container would call a final method on the proxy, whose fields have no values.
	 */
	@Test
	void lockOnABeanWithAFinalMethodThatMayNeedFields() {
		assertThatStartFails(() -> Contexts.open(this.provider, false, Filter.class), Filter.class.getName(),
				"GenericFilterBean.init is final", "LockTemplate");
		assertThatStartFails(() -> Contexts.open(this.provider, false, CountingJob.class), CountingJob.class.getName(),
				"CountingJob.run is final", "LockTemplate");
		assertThatStartFails(() -> Contexts.open(this.provider, false, InheritingJob.class),
				InheritingJob.class.getName(), "InheritingJob.run is final", "LockTemplate");
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Job.class)) {
			context.getBean(Job.class).run();
			assertThat(this.provider.keys()).containsExactly("t:Job.step");
		}
	}

	/**
	 * Spring closes the bean itself.
	 */
	@Test
	void finalMethodThatClosesABeanIsAllowed() {
		List<String> events;
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Feed.class)) {
			events = context.getBean(Feed.class).read();
		}
		assertThat(this.provider.keys()).containsExactly("t:Feed.read");
		assertThat(events).containsExactly("read", "closed");
	}

	@Test
	void messageNamesTheAnnotationThatStandsThere() {
		assertThatStartFails(() -> Contexts.open(this.provider, false, BadSchedule.class),
				"@ScheduledLock on " + BadSchedule.class.getName() + ".run(): key = ");
		assertThatStartFails(() -> Contexts.open(this.provider, false, BadPermits.class),
				"@DistributedSemaphore on " + BadPermits.class.getName() + ".run(): permits = ");
		assertThatStartFails(() -> Contexts.open(this.provider, false, BadComposed.class),
				"@Composed on " + BadComposed.class.getName() + ".run(): ");
		assertThatStartFails(() -> Contexts.open(this.provider, false, BadRepeated.class),
				"@DistributedLock on " + BadRepeated.class.getName() + ".run(): key = ");
	}

	@Test
	void methodsWithoutALockAreNotRefused() {
		try (AnnotationConfigApplicationContext context = withTransactions(Whole.class)) {
			assertThat(context.getBean(Whole.class).first("1")).isEqualTo("ran");
			assertThat(this.provider.keys()).containsExactly("t:Whole.first:1");
		}
		// JVMs list methods in different orders
		assertThat(Whole.class.getDeclaredMethods()).filteredOn((method) -> !method.getName().equals("first"))
			.isNotEmpty()
			.allSatisfy((method) -> assertThat(LockAnnotations.of(method, Whole.class)).isEmpty());
	}

	private AnnotationConfigApplicationContext withTransactions(Class<?> type,
			BeanDefinitionCustomizer... customizers) {
		return Contexts.open(this.provider, false, true, (context) -> {
			context.registerBean(RecordingProvider.class, () -> this.provider);
			context.register(TransactionReleaseTests.Config.class);
			context.registerBean(type, customizers);
		});
	}

	private static void assertThatStartFails(Runnable start, String... parts) {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(start::run)
			.satisfies((failure) -> assertThat(ExceptionUtils.readStackTrace(failure))
				.containsAnyOf("InvalidLockOperationException", "InvalidLockSetupException")
				.contains(parts));
	}

	interface Api {

		void first(String id);

		void later(String id);

	}

	@Configuration(proxyBeanMethods = false)
	static class LockedCreation {

		@Bean
		@DistributedLock
		public Consumer<String> orders() {
			return (order) -> {
			};
		}

	}

	static class Filter extends OncePerRequestFilter {

		@Override
		@DistributedLock
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain) {
		}

	}

	/**
	 * As jobs of Quartz are: the final method runs on the proxy, and the locked method
	 * that it calls on the bean.
	 */
	static class Job extends Named implements Runnable {

		@Override
		public final void run() {
			step();
		}

		@DistributedLock
		protected void step() {
		}

	}

	static class Named implements BeanNameAware {

		@SuppressWarnings("UnusedVariable")
		private @Nullable String name;

		@Override
		public final void setBeanName(String name) {
			this.name = name;
		}

	}

	static class Counter {

		protected int runs;

	}

	static class InheritingJob extends Counter implements Runnable {

		@Override
		public final void run() {
			this.runs++;
		}

		@DistributedLock
		protected void step() {
		}

	}

	static class CountingJob implements Runnable {

		@SuppressWarnings("UnusedVariable")
		private int runs;

		@Override
		public final void run() {
			this.runs++;
			step();
		}

		@DistributedLock
		protected void step() {
		}

	}

	interface Source extends AutoCloseable {

		@Override
		void close();

	}

	static class Feed implements Source {

		private final List<String> events = new ArrayList<>();

		@DistributedLock
		public List<String> read() {
			this.events.add("read");
			return this.events;
		}

		@Override
		public final void close() {
			this.events.add("closed");
		}

	}

	static class BadSchedule {

		@ScheduledLock(holdAtLeast = "1s", key = "#nope")
		public void run() {
		}

	}

	static class BadPermits {

		@DistributedSemaphore(permits = "many")
		public void run() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(provider = "nowhere")
	@interface Composed {

	}

	@Composed
	static class BadComposed {

		public void run() {
		}

	}

	static class BadRepeated {

		@DistributedLock("'a'")
		@DistributedLock("#nope")
		public void run() {
		}

	}

	static class Scheduling {

		@Scheduled(fixedDelay = 1)
		@DistributedLock
		public void run(LockHandle handle) {
		}

	}

	static class Listening {

		@TransactionalEventListener
		@DistributedLock
		public void on(String event, LockHandle handle) {
		}

	}

	/**
	 * As that of GraphQL.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@interface QueryMapping {

	}

	static class Querying {

		@QueryMapping
		@DistributedLock
		public void on(String payload, LockHandle handle) {
		}

	}

	static class Web {

		@GetMapping("orders")
		@DistributedLock
		public void get(@Nullable LockHandle handle) {
		}

		@ExceptionHandler
		@DistributedLock
		public void on(IllegalStateException ex, @Nullable LockHandle handle) {
		}

	}

	static class MisspelledBase {

		@Transactional
		@DistributedLock("#nope")
		public void later(String id) {
		}

	}

	static class MisspelledLater extends MisspelledBase {

		@Transactional
		@DistributedLock("#id")
		public void first(String id) {
		}

	}

	static class MisspelledApi extends MisspelledBase implements Api {

		@Override
		@DistributedLock("#id")
		public void first(String id) {
		}

	}

	static class UnservedBase {

		@Transactional
		@DistributedLock(key = "#id", provider = "nowhere")
		public void later(String id) {
		}

	}

	static class UnservedLater extends UnservedBase {

		@Transactional
		@DistributedLock("#id")
		public void first(String id) {
		}

	}

	static class Unserved {

		@DistributedLock(name = "slow", key = "#id")
		@DistributedLock(name = "unserved", key = "#id", provider = "nowhere")
		public void run(String id) {
		}

	}

	static class Served {

		@DistributedLock(name = "served", key = "#id")
		public void run(String id) {
		}

	}

	@SuppressWarnings("unused")
	@DistributedLock("#id")
	static class Whole {

		@Transactional
		public String first(String id) {
			return "ran";
		}

		void withoutAnId() {
		}

		private void hidden() {
		}

		public static void common() {
		}

	}

}
