package io.distributedlock.boot.test;

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockTemplateBuilderCustomizer;
import io.distributedlock.test.locks.TestLocks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of {@link AutoConfigureTestLocks}.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class)
@ConditionalOnBooleanProperty(TestLocksProperty.ENABLED)
@Import(TestLockProvidersRegistrar.class)
public final class TestLocksAutoConfiguration {

	/**
	 * Create the configuration.
	 */
	public TestLocksAutoConfiguration() {
	}

	// the application closes its template itself
	@Bean(destroyMethod = "")
	TestLocks testLocks() {
		return new TestLocks();
	}

	// last, so that the clock of the test locks is the one that counts
	@Bean
	@Order(Ordered.LOWEST_PRECEDENCE)
	LockTemplateBuilderCustomizer testLocksCustomizer(TestLocks locks) {
		return locks::customize;
	}

	@Bean
	static TestLocksPostProcessor testLocksPostProcessor(ObjectProvider<TestLocks> locks) {
		return new TestLocksPostProcessor(locks);
	}

}
