package io.distributedlock.spring;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A call takes its lock once, whether the bean is of a context or of its parent.
 */
class ContextHierarchyTests {

	private final LocalLockProvider provider = new LocalLockProvider();

	@Test
	void beansOfBothContextsTakeTheirLocksOnce() {
		try (AnnotationConfigApplicationContext parent = Contexts.open(this.provider, false, InParent.class)) {
			try (AnnotationConfigApplicationContext child = Contexts.open(this.provider, false, true, (context) -> {
				context.setParent(parent);
				context.registerBean(InChild.class);
			})) {
				assertThat(child.getBean(InChild.class).run()).isEqualTo("t:child:k");
				assertThat(child.getBean(InParent.class).run()).isEqualTo("t:parent:k");
			}
			assertThat(parent.getBean(InParent.class).run()).isEqualTo("t:parent:k");
		}
	}

	/**
	 * A bean of a context with proxies would be locked twice as soon as the other one
	 * lends its advice to the woven methods.
	 */
	@Test
	void childWithAnotherModeThanItsParentIsRefused() {
		try (AnnotationConfigApplicationContext parent = Contexts.open(this.provider, false, InParent.class)) {
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> Contexts.open(this.provider, false, true, (context) -> {
					context.setParent(parent);
					context.addBeanFactoryPostProcessor((factory) -> {
						BeanDefinition definition = factory
							.getBeanDefinition(factory.getBeanNamesForType(DistributedLockBeanPostProcessor.class)[0]);
						definition.getPropertyValues().add("proxying", Contexts.WOVEN);
					});
				}).close())
				.havingRootCause()
				.isInstanceOf(IllegalStateException.class)
				.withMessageContaining("lock.mode")
				.withMessageContaining("parent");
			assertThat(parent.getBean(InParent.class).run()).isEqualTo("t:parent:k");
		}
	}

	static class InParent {

		@DistributedSemaphore(name = "parent", key = "'k'", permits = "1", waitTime = "0")
		public String run() {
			return LockContext.current().key();
		}

	}

	static class InChild {

		@DistributedSemaphore(name = "child", key = "'k'", permits = "1", waitTime = "0")
		public String run() {
			return LockContext.current().key();
		}

	}

}
