package io.distributedlock.spring;

import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.spring.LockedBeans.First;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A bean that the post-processor did not see runs without its locks, and the application
 * does not start with it.
 */
@Tag("proxies")
class EarlyBeanTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void dependencyOfAnotherPostProcessorIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> Contexts.open(this.provider, false, Early.class))
			.withMessageContaining("'service'")
			.withMessageContaining(Service.class.getName())
			.withMessageContaining("before")
			.withMessageContaining("ObjectProvider");
	}

	@Test
	void singletonThatWasRegisteredIsRefused() {
		assertThatIllegalStateException()
			.isThrownBy(() -> Contexts.open(this.provider, false, true,
					(context) -> context.getBeanFactory().registerSingleton("byHand", new Service())))
			.withMessageContaining("'byHand'");
	}

	@Test
	void singletonWhoseAnnotationIsOnItsClassIsRefused() {
		assertThatIllegalStateException()
			.isThrownBy(() -> Contexts.open(this.provider, false, true,
					(context) -> context.getBeanFactory().registerSingleton("whole", new Whole())))
			.withMessageContaining("'whole'");
	}

	@Test
	void singletonThatIsProxiedByHandWithoutTheLockIsRefused() {
		assertThatIllegalStateException()
			.isThrownBy(() -> Contexts.open(this.provider, false, true,
					(context) -> context.getBeanFactory().registerSingleton("byHand", wrapped(new Service()))))
			.withMessageContaining("'byHand'");
	}

	@Test
	void proxyWithTheLockMayBeRegisteredElsewhere() {
		try (AnnotationConfigApplicationContext first = Contexts.open(this.provider, false, Service.class);
				AnnotationConfigApplicationContext second = Contexts.open(this.provider, false, true, (context) -> {
					Service service = first.getBean(Service.class);
					context.getBeanFactory().registerSingleton("borrowed", service);
					context.getBeanFactory().registerSingleton("wrapped", wrapped(service));
				})) {
			assertThat(second.getBean("borrowed", Service.class).run()).startsWith("t:");
			assertThat(second.getBean("wrapped", Service.class).run()).startsWith("t:");
		}
	}

	@Test
	void beanThatIsWrappedAfterwardsIsNotRefused() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Service.class,
				Wrapping.class)) {
			assertThat(context.getBean(Service.class)).isInstanceOf(Wrapper.class);
			assertThat(context.getBean(Service.class).run()).startsWith("t:");
		}
	}

	@Test
	void lazyBeanIsNotCreated() {
		Lazily.MADE.set(false);
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Lazily.class)) {
			assertThat(Lazily.MADE).isFalse();
			assertThat(context.getBean(Service.class).run()).startsWith("t:");
		}
	}

	private static Service wrapped(Service service) {
		ProxyFactory factory = new ProxyFactory(service);
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) (call) -> call.proceed());
		return (Service) factory.getProxy();
	}

	static class Service {

		@DistributedLock
		public String run() {
			return LockedBeans.heldKey();
		}

	}

	@DistributedLock
	static class Whole {

		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Early {

		@Bean
		Service service() {
			return new Service();
		}

		@Bean
		static First needsService(Service service) {
			return new First();
		}

	}

	static class Wrapper extends Service {

		private final Service service;

		Wrapper(Service service) {
			this.service = service;
		}

		@Override
		public String run() {
			return this.service.run();
		}

	}

	/**
	 * Runs after the post-processor for locks, since it has no order.
	 */
	static class Wrapping implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof Service service) ? new Wrapper(service) : bean;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Lazily {

		private static final AtomicBoolean MADE = new AtomicBoolean();

		@Bean
		@Lazy
		Service service() {
			MADE.set(true);
			return new Service();
		}

	}

}
