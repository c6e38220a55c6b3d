package io.distributedlock.spring;

import java.util.function.Consumer;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.spring.LockedBeans.Api;
import io.distributedlock.spring.LockedBeans.First;
import io.distributedlock.spring.LockedBeans.Plain;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A proxy made by hand that hides its target, and the product of a factory bean that was
 * created early. They are locked, or the application does not start.
 */
@Tag("proxies")
class HiddenBeanTests {

	private final RecordingProvider provider = new RecordingProvider();

	@ParameterizedTest
	@EnumSource
	void proxyOfInterfacesThatHidesItsTargetIsRefused(HidingProxy proxy) {
		LockedBeans.assertThatStartFails(this.provider,
				(context) -> context.registerBean("hidden", Api.class, () -> proxy.wrap(new Plain(), false)),
				"Plain.run", "'hidden'", "opaque or frozen", "Annotate the method in the interface");
	}

	@ParameterizedTest
	@EnumSource
	void proxyOfAClassIsLocked(HidingProxy proxy) {
		assertThatRunsLocked((context) -> context.registerBean(Api.class, () -> proxy.wrap(new Plain(), true)));
	}

	@ParameterizedTest
	@EnumSource
	void annotationOfTheInterfaceIsFound(HidingProxy proxy) {
		assertThatRunsLocked((context) -> context.registerBean(Api.class, () -> proxy.wrap(new OfInterface(), false)));
	}

	@Test
	void frozenProxyOfALockedBeanIsAccepted() {
		try (AnnotationConfigApplicationContext first = Contexts.open(this.provider, false, Plain.class)) {
			assertThatRunsLocked((context) -> context.registerBean(Api.class,
					() -> HidingProxy.FROZEN.wrap(first.getBean(Plain.class), false)));
		}
	}

	@ParameterizedTest
	@EnumSource
	void registeredProxyThatHidesItsTargetIsRefused(HidingProxy proxy) {
		LockedBeans.assertThatStartFails(this.provider,
				(context) -> context.getBeanFactory().registerSingleton("byHand", proxy.wrap(new Plain(), false)),
				"'byHand'");
	}

	@Test
	void earlyProductOfAFactoryIsRefused() {
		LockedBeans.assertThatStartFails(this.provider, (context) -> context.register(EarlyProduct.class), "Plain.run",
				"'product'", "before");
	}

	@Test
	void earlyFactoryWithALaterProductIsLocked() {
		assertThatRunsLocked((context) -> context.register(EarlyFactory.class));
	}

	@Test
	void earlyPrototypeIsRefused() {
		LockedBeans.assertThatStartFails(this.provider, (context) -> context.register(EarlyPrototype.class),
				"Plain.run", "'prototype'", "before");
	}

	private void assertThatRunsLocked(Consumer<AnnotationConfigApplicationContext> beans) {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, beans)) {
			assertThat(context.getBean(Api.class).run()).startsWith("t:");
		}
	}

	enum HidingProxy {

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

	interface Annotated extends Api {

		@Override
		@DistributedLock
		String run();

	}

	static class OfInterface implements Annotated {

		@Override
		public String run() {
			return LockedBeans.heldKey();
		}

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
