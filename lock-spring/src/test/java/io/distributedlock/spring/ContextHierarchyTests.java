package io.distributedlock.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.local.LocalLockProvider;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.OverridingClassLoader;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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

	/**
	 * Without a post-processor of its own, a child would run them without their locks.
	 */
	@Test
	@Tag("proxies")
	void lockedBeansOfAChildWithoutThePostProcessorAreRefused() {
		assertRefused("existing", new RootBeanDefinition(InChild.class));
		RootBeanDefinition lazy = notToBeCreated();
		lazy.setLazyInit(true);
		assertRefused("later", lazy);
		RootBeanDefinition prototype = notToBeCreated();
		prototype.setScope(BeanDefinition.SCOPE_PROTOTYPE);
		assertRefused("several", prototype);
	}

	@Test
	@Tag("proxies")
	void childWithoutThePostProcessorMayHaveOtherBeansAndThoseOfItsParent() {
		try (AnnotationConfigApplicationContext parent = Contexts.open(this.provider, false, InParent.class);
				AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
			child.setParent(parent);
			child.registerBean(ContextHierarchyTests.class);
			child.registerBean("again", InParent.class, () -> parent.getBean(InParent.class));
			child.refresh();
			assertThat(child.getBean("again", InParent.class).run()).isEqualTo("t:parent:k");
		}
	}

	/**
	 * A lazy bean of an optional library, which is never created: Spring ignores it, too.
	 */
	@Test
	@Tag("proxies")
	void childWithoutThePostProcessorMayHaveATypeThatCannotBeLookedAt() throws ClassNotFoundException {
		RootBeanDefinition lazy = new RootBeanDefinition(new WithoutMissing().loadClass(OfMissing.class.getName()));
		lazy.setLazyInit(true);
		try (AnnotationConfigApplicationContext parent = Contexts.open(this.provider, false, InParent.class);
				AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
			child.setParent(parent);
			child.registerBeanDefinition("lazy", lazy);
			child.refresh();
			assertThat(child.isActive()).isTrue();
		}
	}

	@Test
	@Tag("proxies")
	void childIsRefusedThoughItsParentHandlesEventsOnOtherThreads() {
		SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
		multicaster.setTaskExecutor(new SimpleAsyncTaskExecutor());
		assertRefused("bean", new RootBeanDefinition(InChild.class),
				(parent) -> parent.registerBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
						ApplicationEventMulticaster.class, () -> multicaster));
	}

	@Test
	@Tag("proxies")
	void childIsClosedThoughItsParentSwallowsErrorsOfEvents() {
		SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
		List<Throwable> swallowed = new ArrayList<>();
		multicaster.setErrorHandler(swallowed::add);
		try (AnnotationConfigApplicationContext parent = Contexts.open(this.provider, false, true, (context) -> {
			context.registerBean(InParent.class);
			context.registerBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
					ApplicationEventMulticaster.class, () -> multicaster);
		}); AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
			child.setParent(parent);
			child.registerBean("bean", InChild.class);
			child.refresh();
			assertThat(swallowed).singleElement(InstanceOfAssertFactories.THROWABLE).hasMessageContaining("'bean'");
			assertThat(child.isActive()).isFalse();
			assertThat(parent.getBean(InParent.class).run()).isEqualTo("t:parent:k");
		}
	}

	private void assertRefused(String name, BeanDefinition definition) {
		assertRefused(name, definition, (parent) -> {
		});
	}

	private void assertRefused(String name, BeanDefinition definition,
			Consumer<AnnotationConfigApplicationContext> inParent) {
		try (AnnotationConfigApplicationContext parent = Contexts.open(this.provider, false, true, (context) -> {
			context.registerBean(InParent.class);
			inParent.accept(context);
		}); AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
			child.setParent(parent);
			child.registerBeanDefinition(name, definition);
			assertThatIllegalStateException().isThrownBy(child::refresh)
				.withMessageContainingAll("'" + name + "'", InChild.class.getName() + ".run()", "parent context",
						"DistributedLockAutoConfiguration");
			assertThat(child.isActive()).isFalse();
			assertThat(parent.getBean(InParent.class).run()).isEqualTo("t:parent:k");
		}
	}

	private static RootBeanDefinition notToBeCreated() {
		return new RootBeanDefinition(InChild.class, () -> {
			throw new IllegalStateException("created for the check");
		});
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

	static class OfMissing {

		public void use(Missing missing) {
		}

	}

	static class Missing {

	}

	/**
	 * The class loader of an application that has not the optional library.
	 */
	private static final class WithoutMissing extends OverridingClassLoader {

		private WithoutMissing() {
			super(ContextHierarchyTests.class.getClassLoader());
		}

		@Override
		protected boolean isEligibleForOverriding(String className) {
			return className.equals(OfMissing.class.getName());
		}

		@Override
		public Class<?> loadClass(String name) throws ClassNotFoundException {
			if (name.equals(Missing.class.getName())) {
				throw new ClassNotFoundException(name);
			}
			return super.loadClass(name);
		}

	}

}
