package io.distributedlock.application;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.ReleaseTime;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spring.EnableDistributedLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application without Spring Boot.
 */
class PlainSpringTests {

	@Test
	void annotatedMethodIsLocked() {
		assertThat(ClassUtils.isPresent("org.springframework.boot.SpringApplication", null)).isFalse();
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Locks.class,
				Orders.class)) {
			assertThat(context.getBean(Orders.class).settle("42")).isEqualTo("shop:order:42");
		}
	}

	@Test
	void othersExcludeIt() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Locks.class,
				Orders.class);
				LockHandle held = context.getBean("otherNode", LockTemplate.class)
					.acquire(LockRequest.of("42").withName("order"))) {
			assertThat(held.key()).isEqualTo("shop:order:42");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.getBean(Orders.class).settle("42"));
		}
	}

	@Test
	void settingsAreTakenFromABean() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Skipping.class,
				Locks.class, Orders.class);
				LockHandle held = context.getBean("otherNode", LockTemplate.class)
					.acquire(LockRequest.of("42").withName("order"))) {
			assertThat(held.key()).isEqualTo("shop:order:42");
			assertThat(context.getBean(Orders.class).settle("42")).isNull();
		}
	}

	@Test
	void missingTemplateIsNamedAtTheStart() {
		assertThatExceptionOfType(NoSuchBeanDefinitionException.class)
			.isThrownBy(() -> new AnnotationConfigApplicationContext(WithoutTemplate.class, Orders.class).close())
			.withMessageContaining(LockTemplate.class.getName());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class Locks {

		private final LocalLockProvider provider = new LocalLockProvider();

		@Bean
		LockTemplate lockTemplate() {
			return DefaultLockTemplate.builder().provider(this.provider).keyPrefix("shop").build();
		}

		@Bean(autowireCandidate = false)
		LockTemplate otherNode() {
			return DefaultLockTemplate.builder().provider(this.provider).keyPrefix("shop").build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Skipping {

		@Bean
		DistributedLockSettings lockSettings() {
			return new DistributedLockSettings(false, OnContention.SKIP, ReleaseTime.AFTER_TRANSACTION, true, false,
					false);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class WithoutTemplate {

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id", waitTime = "100ms")
		public String settle(String id) {
			return LockContext.current().key();
		}

	}

}
