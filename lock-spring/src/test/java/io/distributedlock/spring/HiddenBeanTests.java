package io.distributedlock.spring;

import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A proxy made by hand that hides its target, and the product of a factory that was asked
 * for early: they are locked, or the application does not start.
 */
@Tag("proxies")
class HiddenBeanTests {

	private final RecordingProvider provider = new RecordingProvider();

	@ParameterizedTest
	@EnumSource
	void proxyOfInterfacesThatHidesItsTargetIsRefused(Kind kind) {
		assertThatStartFails(
				(context) -> context.registerBean("hidden", Api.class, () -> kind.wrap(new Plain(), false)),
				"Plain.run", "'hidden'", "opaque or frozen", "Annotate the interface");
	}

	@ParameterizedTest
	@EnumSource
	void proxyOfAClassIsLocked(Kind kind) {
		assertThatRunsLocked((context) -> context.registerBean(Api.class, () -> kind.wrap(new Plain(), true)));
	}

	@ParameterizedTest
	@EnumSource
	void annotationOfTheInterfaceIsSeen(Kind kind) {
		assertThatRunsLocked((context) -> context.registerBean(Api.class, () -> kind.wrap(new OfInterface(), false)));
	}

	@Test
	void frozenProxyOfALockedBeanIsLeftAlone() {
		try (AnnotationConfigApplicationContext first = Contexts.open(this.provider, false, Plain.class)) {
			assertThatRunsLocked((context) -> context.registerBean(Api.class,
					() -> Kind.FROZEN.wrap(first.getBean(Plain.class), false)));
		}
	}

	@ParameterizedTest
	@EnumSource
	void registeredProxyThatHidesItsTargetIsRefused(Kind kind) {
		assertThatStartFails(
				(context) -> context.getBeanFactory().registerSingleton("byHand", kind.wrap(new Plain(), false)),
				"'byHand'");
	}

	@Test
	void earlyProductOfAFactoryIsRefused() {
		assertThatStartFails((context) -> context.register(EarlyProduct.class), "Plain.run", "'product'", "before");
	}

	@Test
	void earlyFactoryWithALaterProductIsLocked() {
		assertThatRunsLocked((context) -> context.register(EarlyFactory.class));
	}

	@Test
	void earlyPrototypeIsRefused() {
		assertThatStartFails((context) -> context.register(EarlyPrototype.class), "Plain.run", "'prototype'", "before");
	}

	private void assertThatStartFails(Consumer<AnnotationConfigApplicationContext> beans, String... parts) {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> Contexts.open(this.provider, false, true, beans).close())
			.satisfies((failure) -> {
				Throwable cause = failure;
				while (cause.getCause() != null) {
					cause = cause.getCause();
				}
				assertThat(cause).isInstanceOf(InvalidLockOperationException.class).message().contains(parts);
			});
	}

	private void assertThatRunsLocked(Consumer<AnnotationConfigApplicationContext> beans) {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, beans)) {
			assertThat(context.getBean(Api.class).run()).startsWith("t:");
		}
	}

	enum Kind {

		OPAQUE, FROZEN;

		Api wrap(Api target, boolean proxyTargetClass) {
			ProxyFactory factory = new ProxyFactory(target);
			factory.setProxyTargetClass(proxyTargetClass);
			factory.addAdvice((MethodInterceptor) (call) -> call.proceed());
			factory.setOpaque(this == OPAQUE);
			factory.setFrozen(this == FROZEN);
			return (Api) factory.getProxy();
		}

	}

	interface Api {

		String run();

	}

	static class Plain implements Api {

		@Override
		@DistributedLock
		public String run() {
			return heldKey();
		}

	}

	interface Annotated extends Api {

		@Override
		@DistributedLock
		String run();

	}

	static class OfInterface implements Annotated {

		@Override
		public String run() {
			return heldKey();
		}

	}

	private static String heldKey() {
		return LockContext.find().map(LockHandle::key).orElse("no lock");
	}

	static class Product implements FactoryBean<Api> {

		@Override
		public Api getObject() {
			return new Plain();
		}

		@Override
		public Class<?> getObjectType() {
			return Api.class;
		}

	}

	static class First implements BeanPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyProduct {

		@Bean
		Product product() {
			return new Product();
		}

		@Bean
		static First needsProduct(Api api) {
			return new First();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyFactory {

		@Bean
		Product product() {
			return new Product();
		}

		@Bean
		static First needsFactory(Product factory) {
			return new First();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyPrototype {

		@Bean
		@Scope("prototype")
		Plain prototype() {
			return new Plain();
		}

		@Bean
		static First needsPrototype(Plain plain) {
			return new First();
		}

	}

}
