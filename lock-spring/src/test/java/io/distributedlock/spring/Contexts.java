package io.distributedlock.spring;

import java.util.function.Consumer;

import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.ReleaseTime;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;

/**
 * Contexts with the post-processor and a template over a given provider.
 */
final class Contexts {

	/**
	 * Whether locks are woven in, instead of taken by proxies.
	 */
	static final boolean WOVEN = Boolean.getBoolean("lock.test.woven");

	private Contexts() {
	}

	static AnnotationConfigApplicationContext open(LockProvider provider, boolean beanReferences, Class<?> type,
			Class<?>... more) {
		return open(provider, beanReferences, true, (context) -> {
			register(context, type);
			for (Class<?> each : more) {
				register(context, each);
			}
		});
	}

	static AnnotationConfigApplicationContext openWithInterfaceProxies(LockProvider provider, Class<?> type) {
		return open(provider, false, false, (context) -> register(context, type));
	}

	static AnnotationConfigApplicationContext open(LockProvider provider, boolean beanReferences,
			boolean proxyTargetClass, Consumer<AnnotationConfigApplicationContext> beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment().getPropertySources().addFirst(DistributedLockTests.propertySource());
		context.registerBean(PropertySourcesPlaceholderConfigurer.class);
		context.registerBean(DefaultLockTemplate.class,
				() -> DefaultLockTemplate.builder().provider(provider).keyPrefix("t").build());
		context.registerBean(DistributedLockBeanPostProcessor.class, () -> {
			DistributedLockBeanPostProcessor processor = new DistributedLockBeanPostProcessor(
					() -> context.getBean(LockTemplate.class), new DistributedLockSettings(beanReferences,
							OnContention.THROW, ReleaseTime.AFTER_TRANSACTION, true, false, false));
			processor.setProxyTargetClass(proxyTargetClass);
			processor.setProxying(!WOVEN);
			return processor;
		});
		beans.accept(context);
		context.refresh();
		return context;
	}

	private static <T> void register(AnnotationConfigApplicationContext context, Class<T> type) {
		String simple = type.getSimpleName();
		context.registerBean(Character.toLowerCase(simple.charAt(0)) + simple.substring(1), type);
	}

}
