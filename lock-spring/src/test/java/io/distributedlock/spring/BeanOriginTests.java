package io.distributedlock.spring;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.local.LocalLockProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.AopContext;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.Scope;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.data.annotation.Id;
import org.springframework.data.keyvalue.core.KeyValueOperations;
import org.springframework.data.keyvalue.core.KeyValueTemplate;
import org.springframework.data.keyvalue.repository.KeyValueRepository;
import org.springframework.data.keyvalue.repository.query.KeyValuePartTreeQuery;
import org.springframework.data.keyvalue.repository.query.PredicateQueryCreator;
import org.springframework.data.keyvalue.repository.support.KeyValueRepositoryFactoryBean;
import org.springframework.data.map.MapKeyValueAdapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A call of a bean takes its lock exactly once, wherever the bean comes from.
 */
class BeanOriginTests {

	private final LocalLockProvider provider = new LocalLockProvider();

	private @Nullable AnnotationConfigApplicationContext context;

	@AfterEach
	void close() {
		if (this.context != null) {
			this.context.close();
		}
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void productOfAFactory() {
		this.context = Contexts.open(this.provider, false, Factory.class);
		assertThat(this.context.getBean(Service.class).run("1")).isEqualTo("t:Service.run:1");
	}

	@Test
	void beanOfAnotherScopeBehindAProxy() {
		this.context = Contexts.open(this.provider, false, true, (context) -> {
			context.getBeanFactory().registerScope("conversation", new Conversation());
			context.register(Scoped.class);
		});
		assertThat(this.context.getBean("scoped", Service.class).run("1")).isEqualTo("t:Service.run:1");
		assertThat(this.context.getBean("scopedTarget.scoped", Service.class).run("2")).isEqualTo("t:Service.run:2");
	}

	@Test
	void prototypesAndLazyBeans() {
		this.context = Contexts.open(this.provider, false, Prototypes.class);
		ObjectProvider<Service> services = this.context.getBeanProvider(Service.class);
		Service first = services.getObject();
		Service second = services.getObject();
		assertThat(first).isNotSameAs(second);
		assertThat(first.run("1")).isEqualTo("t:Service.run:1");
		assertThat(second.run("2")).isEqualTo("t:Service.run:2");
		assertThat(this.context.getBean(LazyService.class).run("3")).isEqualTo("t:LazyService.run:3");
	}

	@Test
	void lazyBeanWithAMistakeFailsWhenItIsCreated() {
		this.context = Contexts.open(this.provider, false, Mistakes.class);
		AnnotationConfigApplicationContext opened = this.context;
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> opened.getBean(Mistaken.class))
			.havingRootCause()
			.isInstanceOf(InvalidLockOperationException.class)
			.withMessageContaining("Mistaken.run");
	}

	@Test
	@Tag("proxies")
	void proxyThatIsExposedTakesTheLockOfACallToItself() {
		this.context = Contexts.open(this.provider, false, Exposing.class);
		assertThat(this.context.getBean(CallsItself.class).outer("1")).isEqualTo("t:CallsItself.inner:1");
	}

	@Test
	void methodOfAConfiguration() {
		this.context = Contexts.open(this.provider, false, Configured.class);
		Configured configured = this.context.getBean(Configured.class);
		assertThat(configured.run("1")).isEqualTo("t:Configured.run:1");
		assertThat(configured.service()).isSameAs(this.context.getBean(Service.class));
	}

	@Test
	@Tag("proxies")
	void queryOfARepository() {
		RecordingProvider recording = new RecordingProvider();
		this.context = Contexts.open(recording, false, Repositories.class);
		Orders orders = this.context.getBean(Orders.class);
		orders.save(new Order("1", "new"));
		assertThat(orders.findByState("new")).isPresent();
		assertThat(recording.keys()).containsExactly("t:Orders.save:1", "t:Orders.findByState:new");
	}

	static class Service {

		// with one permit, advice that ran twice for a call would wait for itself
		@DistributedSemaphore(permits = "1", key = "#id", waitTime = "0")
		public String run(String id) {
			return RecordingProvider.shortened(LockedBeans.heldKey());
		}

	}

	static class LazyService extends Service {

		@Override
		@DistributedLock(key = "#id")
		public String run(String id) {
			return RecordingProvider.shortened(LockedBeans.heldKey());
		}

	}

	static class Mistaken {

		@DistributedLock(key = "#other")
		public void run(String id) {
		}

	}

	static class Factory implements FactoryBean<Service> {

		@Override
		public Service getObject() {
			return new Service();
		}

		@Override
		public Class<?> getObjectType() {
			return Service.class;
		}

	}

	@org.springframework.context.annotation.Scope(scopeName = "conversation", proxyMode = ScopedProxyMode.TARGET_CLASS)
	@org.springframework.stereotype.Component("scoped")
	static class Scoped extends Service {

	}

	@Configuration(proxyBeanMethods = false)
	static class Prototypes {

		@Bean
		@Primary
		@org.springframework.context.annotation.Scope("prototype")
		Service service() {
			return new Service();
		}

		@Bean
		@Lazy
		LazyService lazyService() {
			return new LazyService();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Mistakes {

		@Bean
		@Lazy
		Mistaken mistaken() {
			return new Mistaken();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true, exposeProxy = true)
	static class Exposing {

		@Bean
		CallsItself callsItself() {
			return new CallsItself();
		}

	}

	static class CallsItself {

		public String outer(String id) {
			return ((CallsItself) AopContext.currentProxy()).inner(id);
		}

		@DistributedLock(key = "#id")
		public String inner(String id) {
			return RecordingProvider.shortened(LockedBeans.heldKey());
		}

	}

	@Configuration
	static class Configured {

		@Bean
		Service service() {
			return new Service();
		}

		@DistributedLock(key = "#id")
		public String run(String id) {
			return RecordingProvider.shortened(LockedBeans.heldKey());
		}

	}

	record Order(@Id String id, String state) {
	}

	interface Orders extends KeyValueRepository<Order, String> {

		@Override
		@DistributedLock(key = "#order.id")
		<S extends Order> S save(S order);

		@DistributedLock(key = "#state")
		Optional<Order> findByState(String state);

	}

	@Configuration(proxyBeanMethods = false)
	static class Repositories {

		@Bean
		KeyValueOperations keyValueTemplate() {
			return new KeyValueTemplate(new MapKeyValueAdapter());
		}

		@Bean
		KeyValueRepositoryFactoryBean<Orders, Order, String> orders(KeyValueOperations operations) {
			KeyValueRepositoryFactoryBean<Orders, Order, String> factory = new KeyValueRepositoryFactoryBean<>(
					Orders.class);
			factory.setKeyValueOperations(operations);
			factory.setQueryCreator(PredicateQueryCreator.class);
			factory.setQueryType(KeyValuePartTreeQuery.class);
			return factory;
		}

	}

	private static final class Conversation implements Scope {

		private final Map<String, Object> beans = new HashMap<>();

		@Override
		public Object get(String name, ObjectFactory<?> factory) {
			Object bean = this.beans.get(name);
			if (bean == null) {
				bean = factory.getObject();
				this.beans.put(name, bean);
			}
			return bean;
		}

		@Override
		public @Nullable Object remove(String name) {
			return this.beans.remove(name);
		}

		@Override
		public void registerDestructionCallback(String name, Runnable callback) {
		}

	}

}
