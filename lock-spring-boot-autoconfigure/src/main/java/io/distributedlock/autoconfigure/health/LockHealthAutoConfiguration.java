package io.distributedlock.autoconfigure.health;

import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the health contributor {@code locks}, with one entry for each
 * provider. {@code management.health.locks.enabled=false} switches it off.
 *
 * @since 0.1
 */
// as late as what it comes after: with the usual order it would draw that forward
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE - 8)
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "lock.enabled", matchIfMissing = true)
@ConditionalOnBean(LockTemplate.class)
@Import({ Boot4LockHealth.class, Boot3LockHealth.class })
public final class LockHealthAutoConfiguration {

	private LockHealthAutoConfiguration() {
	}

}
