package io.distributedlock.spring;

import java.util.function.Consumer;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spring.LockedBeans.Api;
import io.distributedlock.spring.LockedBeans.Plain;
import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.aop.target.LazyInitTargetSource;
import org.springframework.aop.target.PrototypeTargetSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beans behind several proxies made by hand are locked once, or the application does not
 * start.
 */
@Tag("proxies")
class WrappedBeanTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void opaqueProxyAroundAnOpaqueProxyIsRefused() {
		assertRefusedOrLocked(
				(context) -> context.registerBean("hidden", Api.class, () -> opaque(opaque(new Plain()))));
	}

	@Test
	void ordinaryProxyAroundAnOpaqueProxyIsRefused() {
		assertRefusedOrLocked(
				(context) -> context.registerBean("hidden", Api.class, () -> ordinary(opaque(new Plain()))));
	}

	@Test
	void ordinaryProxyAroundAnOrdinaryProxyIsRefusedOrLocked() {
		assertRefusedOrLocked(
				(context) -> context.registerBean("hidden", Api.class, () -> ordinary(ordinary(new Plain()))));
	}

	/**
	 * Both proxies are Spring's: a ProxyFactoryBean, and what makes the method
	 * transactional.
	 */
	@Test
	void productOfAProxyFactoryBeanThatIsAutoProxiedIsRefusedOrLocked() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (beans) -> {
			beans.registerBean(RecordingProvider.class, () -> this.provider);
			beans.register(TransactionReleaseTests.Config.class);
			beans.registerBean("hidden", ProxyFactoryBean.class, () -> {
				ProxyFactoryBean proxy = new ProxyFactoryBean();
				proxy.setTarget(new PlainTransactional());
				proxy.setInterfaces(TransactionalApi.class);
				return proxy;
			});
		})) {
			assertThat(context.getBean(TransactionalApi.class).run()).startsWith("t:");
		}
	}

	/**
	 * One proxy is made by hand, the other one by Spring for an aspect.
	 */
	@Test
	void proxyByHandThatHasAnAspectIsRefusedOrLocked() {
		assertRefusedOrLocked((context) -> {
			context.register(WithAspects.class);
			context.registerBean("hidden", Api.class, () -> ordinary(new Plain()));
		});
	}

	/**
	 * A decorator by hand around the bean of a library that makes its own proxies.
	 */
	@Test
	void proxyByHandAroundAProxyByHandIsRefusedOrLocked() {
		assertRefusedOrLocked((context) -> context.registerBean("hidden", Api.class, () -> {
			ProxyFactory inner = new ProxyFactory(new Plain());
			inner.addAdvice((MethodInterceptor) (call) -> call.proceed());
			ProxyFactory outer = new ProxyFactory(inner.getProxy());
			outer.addAdvice((MethodInterceptor) (call) -> call.proceed());
			return (Api) outer.getProxy();
		}));
	}

	/**
	 * As above without transactions: there is one proxy only.
	 */
	@Test
	void productOfAProxyFactoryBeanIsLocked() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true,
				(beans) -> beans.registerBean("hidden", ProxyFactoryBean.class, () -> {
					ProxyFactoryBean proxy = new ProxyFactoryBean();
					proxy.setTarget(new PlainTransactional());
					proxy.setInterfaces(TransactionalApi.class);
					return proxy;
				}))) {
			assertThat(context.getBean(TransactionalApi.class).run()).startsWith("t:");
		}
	}

	@Test
	void ordinaryProxyOfInterfacesAroundAFrozenProxyIsRefused() {
		assertRefusedOrLocked(
				(context) -> context.registerBean("hidden", Api.class, () -> ordinary(frozen(new Plain()))));
	}

	@Test
	void frozenProxyWithASwappableTargetIsRefused() {
		assertRefusedOrLocked((context) -> context.registerBean("hidden", Api.class, () -> {
			ProxyFactory factory = new ProxyFactory();
			factory.setTargetSource(new HotSwappableTargetSource(new Plain()));
			factory.setInterfaces(Api.class);
			factory.setFrozen(true);
			return (Api) factory.getProxy();
		}));
	}

	@Test
	void registeredProxyWithASwappableTargetIsRefused() {
		ProxyFactory factory = new ProxyFactory();
		factory.setTargetSource(new HotSwappableTargetSource(new Plain()));
		factory.setInterfaces(Api.class);
		assertRefusedOrLocked((context) -> context.getBeanFactory().registerSingleton("hidden", factory.getProxy()));
	}

	@Test
	void opaqueProxyOfALockedBeanIsAccepted() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (beans) -> {
			beans.registerBean("plain", Plain.class);
			beans.registerBean("measured", Api.class, () -> opaque(beans.getBean("plain", Api.class)));
		})) {
			assertThat(context.getBean("measured", Api.class).run()).startsWith("t:");
		}
	}

	@Test
	void proxyByHandAroundALockedBeanTakesItsLockOnce() {
		try (AnnotationConfigApplicationContext context = Contexts.open(new LocalLockProvider(), false, true,
				(beans) -> {
					beans.registerBean("limited", Limited.class);
					beans.registerBean("measured", Api.class, () -> ordinary(beans.getBean("limited", Api.class)));
				})) {
			assertThat(context.getBean("limited", Api.class).run()).startsWith("t:");
			assertThat(context.getBean("measured", Api.class).run()).startsWith("t:");
		}
	}

	@Test
	void proxyFactoryBeanOverAPrototypeTargetTakesItsLockOnce() {
		try (AnnotationConfigApplicationContext context = Contexts.open(new LocalLockProvider(), false, true,
				(beans) -> beans.register(PrototypeTargets.class))) {
			assertThat(context.getBean("pooled", Api.class).run()).startsWith("t:");
		}
	}

	@Test
	void proxyFactoryBeanOverALazyTargetTakesItsLockOnce() {
		try (AnnotationConfigApplicationContext context = Contexts.open(new LocalLockProvider(), false, true,
				(beans) -> beans.register(LazyTargets.class))) {
			assertThat(context.getBean("lazily", Api.class).run()).startsWith("t:");
		}
	}

	/**
	 * Assert that the bean runs under its lock, or that the application does not start.
	 */
	private void assertRefusedOrLocked(Consumer<AnnotationConfigApplicationContext> beans) {
		AnnotationConfigApplicationContext context;
		try {
			context = Contexts.open(this.provider, false, true, beans);
		}
		catch (RuntimeException ex) {
			assertThat(LockedBeans.rootCause(ex)).isInstanceOf(InvalidLockOperationException.class);
			return;
		}
		try (context) {
			assertThat(context.getBean("hidden", Api.class).run()).startsWith("t:");
		}
	}

	private static Api wrap(Api target, Consumer<ProxyFactory> options) {
		ProxyFactory factory = new ProxyFactory();
		factory.setTarget(target);
		factory.setInterfaces(Api.class);
		factory.addAdvice((MethodInterceptor) (call) -> call.proceed());
		options.accept(factory);
		return (Api) factory.getProxy();
	}

	private static Api opaque(Api target) {
		return wrap(target, (factory) -> factory.setOpaque(true));
	}

	private static Api frozen(Api target) {
		return wrap(target, (factory) -> factory.setFrozen(true));
	}

	private static Api ordinary(Api target) {
		return wrap(target, (factory) -> {
		});
	}

	@Aspect
	static class Pass {

		@Around("execution(* io.distributedlock.spring.LockedBeans.Api.run())")
		public Object around(ProceedingJoinPoint point) throws Throwable {
			return point.proceed();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy
	static class WithAspects {

		@Bean
		Pass pass() {
			return new Pass();
		}

	}

	interface TransactionalApi {

		@Transactional
		String run();

	}

	static class PlainTransactional implements TransactionalApi {

		@Override
		@DistributedLock
		public String run() {
			return LockedBeans.heldKey();
		}

	}

	static class Limited implements Api {

		@Override
		@DistributedSemaphore(name = "limited", key = "'k'", permits = "1", waitTime = "0")
		public String run() {
			return LockedBeans.heldKey();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeTargets {

		@Bean
		@Scope("prototype")
		Limited limitedTarget() {
			return new Limited();
		}

		@Bean
		PrototypeTargetSource targetSource() {
			PrototypeTargetSource source = new PrototypeTargetSource();
			source.setTargetBeanName("limitedTarget");
			return source;
		}

		@Bean
		ProxyFactoryBean pooled(PrototypeTargetSource targetSource) {
			ProxyFactoryBean proxy = new ProxyFactoryBean();
			proxy.setTargetSource(targetSource);
			proxy.setInterfaces(Api.class);
			return proxy;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyTargets {

		@Bean
		@Lazy
		Limited limitedTarget() {
			return new Limited();
		}

		@Bean
		LazyInitTargetSource targetSource() {
			LazyInitTargetSource source = new LazyInitTargetSource();
			source.setTargetBeanName("limitedTarget");
			return source;
		}

		@Bean
		ProxyFactoryBean lazily(LazyInitTargetSource targetSource) {
			ProxyFactoryBean proxy = new ProxyFactoryBean();
			proxy.setTargetSource(targetSource);
			proxy.setInterfaces(Api.class);
			return proxy;
		}

	}

}
