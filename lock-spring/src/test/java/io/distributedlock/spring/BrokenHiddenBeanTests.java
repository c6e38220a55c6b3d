package io.distributedlock.spring;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.local.LocalLockProvider;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
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
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Broken: locked methods behind stacked proxies and of early beans of other kinds run
 * unlocked in an application that starts; others that are locked keep it from starting.
 */
@Tag("proxies")
class BrokenHiddenBeanTests {

	private final RecordingProvider provider = new RecordingProvider();

	// ---- proxies that hide

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
	 * Both proxies are Spring's, too: one by hand, and one of an aspect.
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
	 * The same without what makes it transactional.
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

	// ---- false alarms

	@Test
	void opaqueProxyOfALockedBeanIsLeftAlone() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (beans) -> {
			beans.registerBean("plain", Plain.class);
			beans.registerBean("measured", Api.class, () -> opaque(beans.getBean("plain", Api.class)));
		})) {
			assertThat(context.getBean("measured", Api.class).run()).startsWith("t:");
		}
	}

	@Test
	void prototypeThatAnEarlyBeanOnlyDependsOnIsNoReasonToRefuse() {
		Contexts.open(this.provider, false, true, (beans) -> beans.register(DependingOnPrototype.class)).close();
	}

	// ---- locked twice

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

	// ---- early beans

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
	void innerBeanOfAnEarlyBeanIsRefused() {
		assertStartFails((context) -> {
			RootBeanDefinition early = new RootBeanDefinition(First.class);
			early.getPropertyValues().add("api", new RootBeanDefinition(Plain.class));
			context.registerBeanDefinition("early", early);
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

	@Test
	void decoratorOfALaterPostProcessorIsRefusedOrLocked() {
		assertRefusedOrLocked((context) -> {
			context.registerBean("hidden", Api.class, () -> () -> "no lock: undecorated");
			context.registerBean(Decorating.class);
		});
	}

	@Test
	void productOfAnEarlyFactoryIsNotMadeWithoutNeed() {
		CountingFactory.MADE.set(0);
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(
				EarlyCountingFactory.class)) {
			assertThat(context.isActive()).isTrue();
			assertThat(CountingFactory.MADE).as("without the library").hasValue(0);
		}
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true,
				(beans) -> beans.register(EarlyCountingFactory.class))) {
			assertThat(context.isActive()).isTrue();
			assertThat(CountingFactory.MADE).as("with the library").hasValue(0);
		}
	}

	// ---- calls of the container

	@Test
	void callbacksOfTheLifecycleAreLockedOrRefused() {
		Lifecycle bean;
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Lifecycle.class)) {
			bean = context.getBean(Lifecycle.class);
			assertThat(bean.seen()).contains("init t:").contains("set t:");
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

	/**
	 * The promise: the bean runs under its lock, or the application does not start.
	 */
	private void assertRefusedOrLocked(Consumer<AnnotationConfigApplicationContext> beans) {
		AnnotationConfigApplicationContext context;
		try {
			context = Contexts.open(this.provider, false, true, beans);
		}
		catch (RuntimeException ex) {
			Throwable cause = ex;
			while (cause.getCause() != null) {
				cause = cause.getCause();
			}
			assertThat(cause).isInstanceOf(InvalidLockOperationException.class);
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

	@Aspect
	static class Pass {

		@Around("execution(* io.distributedlock.spring.BrokenHiddenBeanTests.Api.run())")
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
			return heldKey();
		}

	}

	static class Limited implements Api {

		@Override
		@DistributedSemaphore(name = "limited", key = "'k'", permits = "1", waitTime = "0")
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

	static class Decorating implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return beanName.equals("hidden") ? new Plain() : bean;
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

	static class CountingFactory implements FactoryBean<StringBuilder> {

		private static final AtomicInteger MADE = new AtomicInteger();

		@Override
		public StringBuilder getObject() {
			MADE.incrementAndGet();
			return new StringBuilder();
		}

		@Override
		public Class<?> getObjectType() {
			return StringBuilder.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyCountingFactory {

		@Bean
		@Lazy
		static CountingFactory counting() {
			return new CountingFactory();
		}

		@Bean
		static First first(CountingFactory factory) {
			return new First();
		}

	}

	static class Lifecycle implements InitializingBean {

		private String seen = "";

		public String seen() {
			return this.seen;
		}

		@PostConstruct
		@DistributedLock
		public void init() {
			this.seen += "init " + heldKey() + "\n";
		}

		@Override
		@DistributedLock
		public void afterPropertiesSet() {
			this.seen += "set " + heldKey() + "\n";
		}

		@PreDestroy
		@DistributedLock
		public void destroy() {
			this.seen += "destroy " + heldKey() + "\n";
		}

	}

}
