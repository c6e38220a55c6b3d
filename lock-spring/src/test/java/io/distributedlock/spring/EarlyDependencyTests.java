package io.distributedlock.spring;

import io.distributedlock.spring.LockedBeans.Api;
import io.distributedlock.spring.LockedBeans.First;
import io.distributedlock.spring.LockedBeans.Plain;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Scope;
import org.springframework.context.support.SimpleThreadScope;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beans that are no singletons and are injected into other beans. If such a bean is
 * injected into one that was created before the post-processor, it runs without its
 * locks, so the application does not start.
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
		LockedBeans.assertThatStartFails(this.provider, (context) -> context.register(EarlyPrototypeOfInterface.class),
				"before");
	}

	@Test
	void earlyPrototypeIsRefusedAlsoIfALaterBeanHasOne() {
		LockedBeans.assertThatStartFails(this.provider, (context) -> context.register(EarlyAndLaterPrototype.class),
				"before");
	}

	@Test
	void earlyProductOfAFactoryThatMakesManyIsRefused() {
		LockedBeans.assertThatStartFails(this.provider, (context) -> context.register(EarlyProductOfMany.class),
				"before");
	}

	@Test
	void earlyBeanOfAnotherScopeIsRefused() {
		LockedBeans.assertThatStartFails(this.provider, (context) -> {
			context.getBeanFactory().registerScope("thread", new SimpleThreadScope());
			context.register(EarlyOfThread.class);
		}, "before");
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

	static class Holder {

		private Api api = () -> "";

		public void setApi(Api api) {
			this.api = api;
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
