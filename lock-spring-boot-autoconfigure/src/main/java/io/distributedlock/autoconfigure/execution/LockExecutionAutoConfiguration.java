package io.distributedlock.autoconfigure.execution;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.autoconfigure.LockTemplateBuilderCustomizer;
import io.distributedlock.autoconfigure.LockTemplates;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration of the threads for callbacks, asynchronous work and what depends on
 * futures: those of the application, with the context of the caller. At shutdown, holders
 * of locks may finish.
 *
 * @since 0.1
 */
// as late as what it comes after: with the usual order it would draw that forward
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE - 8)
@AutoConfiguration(after = { TaskExecutionAutoConfiguration.class, DistributedLockAutoConfiguration.class })
@EnableConfigurationProperties(LockProperties.class)
public final class LockExecutionAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(LockExecutionAutoConfiguration.class);

	private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

	private static final Duration PHASE_TIMEOUT_OF_BOOT = Duration.ofSeconds(30);

	static final String CONTEXT_PROPAGATION = "io.micrometer.context.ContextSnapshot";

	@Bean
	LockExecutor distributedLockWorkExecutor(LockProperties properties,
			@Qualifier(TaskExecutionAutoConfiguration.APPLICATION_TASK_EXECUTOR_BEAN_NAME) ObjectProvider<Executor> applicationTaskExecutor) {
		return LockExecutor.of(properties.executor(), applicationTaskExecutor);
	}

	@Bean
	LockTemplateBuilderCustomizer distributedLockExecution(LockExecutor executor,
			ObjectProvider<TaskDecorator> decorators) {
		DecoratedContext context = new DecoratedContext(
				new CompositeTaskDecorator(all(decorators.orderedStream().toList())));
		return (builder) -> {
			if (executor.threads() != null) {
				builder.executor(executor.threads());
			}
			builder.callerContext(context);
		};
	}

	// of this context: a child that closes leaves the templates of its parent alone
	@Bean
	@ConditionalOnBooleanProperty(name = "lock.enabled", matchIfMissing = true)
	@ConditionalOnBean(value = LockTemplate.class, search = SearchStrategy.CURRENT)
	LockShutdown distributedLockShutdown(ListableBeanFactory beans, LockProperties properties,
			Environment environment) {
		Duration timeout = properties.shutdownTimeout();
		if (timeout.isNegative()) {
			throw new InvalidLockSetupException("lock.shutdown-timeout must not be negative but is " + timeout,
					"Set it to 0 to shut down without waiting for the holders of locks, or to a time such as 10s.",
					null);
		}
		warnOfShorterPhase(timeout, environment);
		return new LockShutdown(LockTemplates.of(beans.getBeansOfType(LockTemplate.class, false, true).values()),
				timeout);
	}

	private static void warnOfShorterPhase(Duration timeout, Environment environment) {
		Duration phase = Binder.get(environment).bind(PHASE_TIMEOUT, Duration.class).orElse(PHASE_TIMEOUT_OF_BOOT);
		if (timeout.compareTo(phase) > 0) {
			logger.warn(
					"lock.shutdown-timeout is {}, but Spring Boot ends each phase of a shutdown after {}: holders of locks have no longer than that. Set {} to more, or lock.shutdown-timeout to less",
					DurationStyle.SIMPLE.print(timeout), DurationStyle.SIMPLE.print(phase), PHASE_TIMEOUT);
		}
	}

	private static List<TaskDecorator> all(List<TaskDecorator> ofApplication) {
		List<TaskDecorator> all = new ArrayList<>();
		all.add(new MdcDecorator());
		if (ClassUtils.isPresent(CONTEXT_PROPAGATION, null)
				&& ofApplication.stream().noneMatch(ContextPropagatingTaskDecorator.class::isInstance)) {
			all.add(new ContextPropagatingTaskDecorator());
		}
		all.addAll(ofApplication);
		return all;
	}

}
