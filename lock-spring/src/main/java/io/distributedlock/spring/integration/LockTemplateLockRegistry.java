package io.distributedlock.spring.integration;

import java.time.Duration;
import java.util.List;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.spring.internal.expression.KeyTexts;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A lock registry of Spring Integration that uses a {@link LockTemplate}, so that leader
 * election, aggregators and file handlers work with any provider.
 *
 * <pre class="code">
 * &#064;Bean
 * LockTemplateLockRegistry lockRegistry(LockTemplate lockTemplate) {
 * 	return new LockTemplateLockRegistry(lockTemplate, LockRequest.of("integration"));
 * }
 * </pre>
 *
 * It stores no lock objects, so its memory does not grow with the number of keys. A lock
 * belongs to the thread that locked it, as {@link java.util.concurrent.locks.Lock}
 * demands. A lease is auto-renewed until it is unlocked, unless the request or the call
 * sets its time. Thread-safe.
 *
 * @since 0.1
 */
public final class LockTemplateLockRegistry implements RenewableLockRegistry<DistributedLock> {

	private final LockTemplate template;

	private final LockRequest prototype;

	private final LockedRequests locked = new LockedRequests();

	/**
	 * Create a registry.
	 * @param template acquires the locks
	 * @param prototype what all locks have in common: provider, type and lease time. Its
	 * name groups their keys; without a name its key does. If its key is
	 * {@link LockRequest#ofExactKey exact}, so are theirs: that name, a colon, and the
	 * text of the key as it is, as with registries of Spring Integration for Redis
	 */
	public LockTemplateLockRegistry(LockTemplate template, LockRequest prototype) {
		this.template = template;
		this.prototype = prototype.name().isEmpty() ? prototype.withName(prototype.key()) : prototype;
		template.check(this.prototype);
	}

	/**
	 * Return the lock of a key.
	 * @param lockKey the key, whose text is used; not blank
	 * @return a view of the lock
	 * @throws IllegalArgumentException if the key is none of the values that can be a key
	 * of an annotated method
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return new TemplateLock(this.template, request(lockKey), this.locked);
	}

	/**
	 * Extend a lock by the lease time of the call that locked it; without one, by that of
	 * the request.
	 * @param lockKey the key
	 * @throws IllegalStateException if this thread does not hold it
	 */
	@Override
	public void renewLock(Object lockKey) {
		renewLock(lockKey, null);
	}

	@Override
	public void renewLock(Object lockKey, @Nullable Duration ttl) {
		List<LockHandle> held = this.locked.held(request(lockKey)).stream().filter(LockHandle::isValid).toList();
		if (held.isEmpty()) {
			throw new IllegalStateException(
					"Lock '%s' cannot be renewed: it is not held by this thread. Lock it on the same thread before"
						.formatted(lockKey));
		}
		held.get(0).ensureHeld();
		Duration leaseTime = (ttl != null) ? ttl : this.locked.leaseTime(held);
		// without a lease time the lock is auto-renewed anyway
		if (leaseTime != null && !leaseTime.isZero()) {
			held.get(0).extend(leaseTime);
		}
	}

	private LockRequest request(Object lockKey) {
		try {
			String text = KeyTexts.of(lockKey);
			if (text == null) {
				throw new InvalidLockKeyException("The key of a lock is empty: " + lockKey, null);
			}
			return this.prototype.withKey(this.prototype.exactKey() ? this.prototype.name() + ':' + text : text);
		}
		catch (EvaluationException ex) {
			throw new IllegalArgumentException(ex.getMessage(), ex);
		}
	}

}
