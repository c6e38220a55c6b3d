package io.distributedlock.spring;

import java.lang.reflect.Proxy;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.ScheduledLock;
import io.distributedlock.spring.elsewhere.Remote;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.batch.core.annotation.BeforeStep;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("proxies")
@ExtendWith(OutputCaptureExtension.class)
class UnreachableMethodTests {

	@Test
	void methodsThatAProxyCannotInterceptAreWarnedAbout(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = Contexts.open(new RecordingProvider(), false, Hidden.class)) {
			assertThat(AopUtils.isAopProxy(context.getBean(Hidden.class))).isTrue();
			assertThat(output).contains("Hidden.secret(): a proxy cannot intercept a private method")
				.contains("@ScheduledLock on " + Hidden.class.getName()
						+ ".fixed(): a proxy cannot intercept a public final method")
				.contains("Hidden.shared(): a proxy cannot intercept a public static method")
				.contains("LockTemplate")
				.doesNotContain("Hidden.open()");
		}
	}

	@Test
	void callbacksOfTheLifecycleAreWarnedAbout(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, Lifecycle.class).close();
		assertThat(output).contains("Lifecycle.init(): the annotation has no effect when Spring calls the method")
			.contains("Lifecycle.afterPropertiesSet(): the annotation has no effect when Spring calls the method")
			.contains("Lifecycle.stop(): the annotation has no effect when Spring calls the method")
			.contains("Lifecycle.close(): the annotation has no effect when Spring calls the method")
			.doesNotContain("Lifecycle.other()");
	}

	/**
	 * It calls them on the object behind the proxy.
	 */
	@Test
	void annotatedListenersOfSpringBatchAreWarnedAbout(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, Steps.class).close();
		assertThat(output).contains("Steps.begin(): the annotation has no effect when Spring Batch calls the method")
			.doesNotContain("Steps.other()");
	}

	@Test
	void callsWithinTheSameObjectAreWarnedAbout(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, Talking.class, ThroughProxy.class).close();
		assertThat(output).contains("Talking, direct() calls locked()")
			.contains("Talking, inLambda() calls locked()")
			.contains("Talking, byReference() calls locked()")
			.contains("lock.mode=aspectj")
			.doesNotContain("Talking, other() calls")
			.doesNotContain("ThroughProxy, ");
	}

	@Test
	void classLevelAnnotationsSuperclassesAndInnerClassesAreChecked(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, Whole.class).close();
		assertThat(output).contains("Whole, direct() calls locked()")
			.contains("Whole, run() calls locked()")
			.contains("Whole, inherited() calls locked()")
			.contains("Whole, withNeighbour() calls locked()")
			.contains("Whole.fixed(): a proxy cannot intercept a public final method")
			.contains("Whole.ownFixed(): a proxy cannot intercept a public final method")
			.doesNotContain("hidden()")
			.doesNotContain("overridden() calls overridden()");
	}

	@Test
	void callByAMethodOfTheCompilerIsNoSelfInvocation(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, Handler.class).close();
		assertThat(output).doesNotContain("In ").doesNotContain("has no effect");
	}

	@Test
	void proxiesOfInterfacesAreNoFinalClasses(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, false, (context) -> context.registerBean(Repository.class,
				() -> ProxyFactory.getProxy(Repository.class, (MethodInterceptor) (call) -> null)))
			.close();
		assertThat(output).doesNotContain("has no effect");
	}

	/**
	 * As the clients of OpenFeign and the mappers of MyBatis are: a default method runs
	 * on the object that the library wraps.
	 */
	@Test
	void defaultMethodOfAHandMadeProxyIsWarnedAbout(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, false, (context) -> {
			context.registerBean("client", Client.class,
					() -> (Client) Proxy.newProxyInstance(Client.class.getClassLoader(),
							new Class<?>[] { Client.class }, (proxy, method, arguments) -> null));
			context.registerBean("opened", OtherClient.class,
					() -> ProxyFactory.getProxy(OtherClient.class, (MethodInterceptor) (call) -> null));
		}).close();
		assertThat(output).contains("UnreachableMethodTests$Client, twice() calls get()")
			.contains("UnreachableMethodTests$Client, inherited() calls get()")
			.doesNotContain("OtherClient, ");
	}

	@Test
	void packagePrivateMethodOfAnotherPackageIsWarnedAbout(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, Near.class).close();
		assertThat(output)
			.contains("Near.hidden(): a proxy cannot intercept a package-private method of another package")
			.contains("Near, also() calls near()")
			.doesNotContain("Near.near():");
	}

	@Test
	void packagePrivateFallbackOfAnotherPackageRunsOnTheObjectBehindTheProxy() {
		RecordingProvider provider = new RecordingProvider();
		try (AnnotationConfigApplicationContext context = Contexts.open(provider, false, Near.class)) {
			provider.contended(true);
			assertThat(context.getBean(Near.class).run()).isEqualTo("instead, with [state]");
		}
	}

	@Test
	void callOfABeanFromAProviderIsNoSelfInvocation(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, AttemptLoop.class).close();
		assertThat(output).contains("AttemptLoop, plain() calls locked()")
			.doesNotContain("byContext()")
			.doesNotContain("byProvider()")
			.doesNotContain("bySupplier()");
	}

	@Test
	void defaultMethodsOfInterfacesAreChecked(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, Calling.class).close();
		assertThat(output).contains("Calling, callDefault() calls locked()")
			.contains("Calling, callInLambda() calls locked()")
			.doesNotContain("callOverridden()");
	}

	static class Lifecycle implements InitializingBean, AutoCloseable {

		@Override
		@DistributedLock
		public void close() {
		}

		@PostConstruct
		@DistributedLock
		public void init() {
		}

		@Override
		@DistributedLock
		public void afterPropertiesSet() {
		}

		@PreDestroy
		@DistributedLock
		public void stop() {
		}

		@DistributedLock
		public void other() {
		}

	}

	static class Steps {

		@BeforeStep
		@DistributedLock
		public void begin() {
		}

		@DistributedLock
		public void other() {
		}

	}

	static class Near extends Remote {

		@DistributedLock
		void near() {
		}

		public void also() {
			near();
		}

	}

	static class AttemptLoop {

		private final ApplicationContext context;

		private final Finder finder = new Finder();

		AttemptLoop(ApplicationContext context) {
			this.context = context;
		}

		@DistributedLock("#id")
		public void locked(String id) {
		}

		public void byContext() {
			this.context.getBean(AttemptLoop.class).locked("1");
		}

		public void byProvider() {
			Runnable runnable = () -> this.context.getBeanProvider(AttemptLoop.class).getObject().locked("1");
			runnable.run();
		}

		public void bySupplier() {
			this.finder.find().locked("1");
		}

		public void plain() {
			locked("1");
		}

		private static final class Finder {

			private @Nullable AttemptLoop found;

			@Nullable AttemptLoop find() {
				return this.found;
			}

		}

	}

	interface Callable {

		void locked();

		default void callDefault() {
			locked();
		}

		default void callOverridden() {
			locked();
		}

		default void callInLambda() {
			Runnable runnable = () -> locked();
			runnable.run();
		}

	}

	static class Calling implements Callable {

		@Override
		@DistributedLock
		public void locked() {
		}

		@Override
		public void callOverridden() {
		}

	}

	interface Getting {

		@DistributedLock("#p0")
		String get(String id);

		default String inherited(String id) {
			return get(id);
		}

	}

	interface Client extends Getting {

		default String twice(String id) {
			return get(id) + get(id);
		}

	}

	interface OtherClient extends Client {

	}

	interface Repository {

		@DistributedLock
		void save();

	}

	static class Base<T> {

		@DistributedLock
		public void handle(T value) {
		}

	}

	static class Handler extends Base<String> {

		private int calls;

		@Override
		public void handle(String value) {
			super.handle(value);
			if (this.calls++ < 3) {
				handle(value + "again");
			}
		}

	}

	static class WholeNeighbour {

	}

	static class Ancestor {

		public final void fixed() {
		}

		public void inherited() {
			overridden();
			locked();
		}

		public void overridden() {
		}

		public void locked() {
		}

	}

	@SuppressWarnings("unused")
	@DistributedLock
	static class Whole extends Ancestor {

		// another type whose name begins with the same text
		private WholeNeighbour neighbour;

		@Override
		public void locked() {
		}

		@Override
		public void overridden() {
			super.overridden();
		}

		public final void ownFixed() {
		}

		public void direct() {
			locked();
		}

		public Runnable inner() {
			return new Runnable() {
				@Override
				public void run() {
					locked();
				}
			};
		}

		public void withNeighbour() {
			locked();
		}

		private void hidden() {
		}

	}

	@SuppressWarnings("unused")
	static class Talking {

		@DistributedLock
		public void locked() {
		}

		public void direct() {
			locked();
		}

		public void inLambda() {
			Runnable runnable = () -> {
				locked();
			};
			runnable.run();
		}

		public void byReference() {
			Runnable runnable = this::locked;
			runnable.run();
		}

		public void other() {
			direct();
		}

	}

	static class ThroughProxy {

		@Autowired
		@Lazy
		private ThroughProxy self;

		@DistributedLock
		public void locked() {
		}

		public void call() {
			this.self.locked();
		}

	}

	static class Hidden {

		@DistributedLock
		public void open() {
			secret();
		}

		@DistributedLock
		private void secret() {
		}

		@ScheduledLock(holdAtLeast = "1s")
		public final void fixed() {
		}

		@DistributedLock
		public static void shared() {
		}

	}

}
