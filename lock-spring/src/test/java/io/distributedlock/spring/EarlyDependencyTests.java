package io.distributedlock.spring;

import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Scope;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Beans of which there are several, and which other beans are given: one of a bean that
 * was made before the post-processor runs without its locks, and the application does not
 * start.
 */
@Tag("proxies")
class EarlyDependencyTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void prototypeThatAnEarlyBeanOnlyDependsOnIsNoReasonToRefuse() {
		Contexts.open(this.provider, false, true, (beans) -> beans.register(DependingOnPrototype.class)).close();
	}

	@Test
	void earlyPrototypeThatIsDeclaredByItsInterfaceIsRefused() {
		assertStartFails((context) -> context.register(EarlyPrototypeOfInterface.class));
	}

	@Test
	void earlyPrototypeIsRefusedAlsoIfALaterBeanHasOne() {
		assertStartFails((context) -> context.register(EarlyAndLaterPrototype.class));
	}

	@Test
	void earlyProductOfAFactoryThatMakesManyIsRefused() {
		assertStartFails((context) -> context.register(EarlyProductOfMany.class));
	}

	@Test
	void earlyBeanOfAnotherScopeIsRefused() {
		assertStartFails((context) -> {
			context.getBeanFactory().registerScope("thread", new SimpleThreadScope());
			context.register(EarlyOfThread.class);
		});
	}

	@Test
	void innerBeanOfAnOrdinaryBeanIsLocked() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (beans) -> {
			RootBeanDefinition definition = new RootBeanDefinition(Holder.class);
			RootBeanDefinition inner = new RootBeanDefinition(Plain.class);
			definition.getPropertyValues().add("api", inner);
			beans.registerBeanDefinition("holder", definition);
		})) {
			assertThat(context.getBean(Holder.class).api.run()).startsWith("t:");
		}
	}

	private void assertStartFails(Consumer<AnnotationConfigApplicationContext> beans) {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> Contexts.open(this.provider, false, true, beans).close())
			.satisfies((failure) -> {
				Throwable cause = failure;
				while (cause.getCause() != null) {
					cause = cause.getCause();
				}
				assertThat(cause).isInstanceOf(InvalidLockOperationException.class);
			});
	}

	private static String heldKey() {
		return LockContext.find().map(LockHandle::key).orElse("no lock");
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

	static class Holder {

		private Api api = () -> "";

		public void setApi(Api api) {
			this.api = api;
		}

	}

	static class First implements BeanPostProcessor, Ordered {

		public void setApi(Api api) {
			assertThat(api.run()).isEqualTo("no lock");
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DependingOnPrototype {

		@Bean
		@Scope("prototype")
		Plain prototype() {
			return new Plain();
		}

		@Bean
		@DependsOn("prototype")
		static First first() {
			return new First();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyPrototypeOfInterface {

		@Bean
		@Scope("prototype")
		Api prototype() {
			return new Plain();
		}

		@Bean
		static First first(Api prototype) {
			assertThat(prototype.run()).isEqualTo("no lock");
			return new First();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyAndLaterPrototype {

		@Bean
		@Scope("prototype")
		Plain prototype() {
			return new Plain();
		}

		@Bean
		static First first(Plain prototype) {
			assertThat(prototype.run()).isEqualTo("no lock");
			return new First();
		}

		@Bean
		String later(Plain prototype) {
			return prototype.run();
		}

	}

	static class Many implements FactoryBean<Plain> {

		@Override
		public Plain getObject() {
			return new Plain();
		}

		@Override
		public Class<?> getObjectType() {
			return Plain.class;
		}

		@Override
		public boolean isSingleton() {
			return false;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyProductOfMany {

		@Bean
		static Many many() {
			return new Many();
		}

		@Bean
		static First first(Plain plain) {
			assertThat(plain.run()).isEqualTo("no lock");
			return new First();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyOfThread {

		@Bean
		@Scope("thread")
		Plain ofThread() {
			return new Plain();
		}

		@Bean
		static First first(Plain plain) {
			assertThat(plain.run()).isEqualTo("no lock");
			return new First();
		}

	}

}
