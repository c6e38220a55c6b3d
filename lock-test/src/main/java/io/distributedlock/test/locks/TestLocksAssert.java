package io.distributedlock.test.locks;

import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on the locks of the application under test. A key is written as in
 * {@link TestLocks}.
 *
 * @since 0.1
 */
public final class TestLocksAssert extends AbstractAssert<TestLocksAssert, TestLocks> {

	TestLocksAssert(TestLocks actual) {
		super(actual, TestLocksAssert.class);
	}

	/**
	 * Verify that the application holds a lock.
	 * @param key the key
	 * @return this assertion object
	 */
	public TestLocksAssert isHeld(String key) {
		if (!this.actual.isHeld(key)) {
			throw failure("%nExpecting the application to hold the lock%n  '%s'%nbut it holds%n  %s", key,
					this.actual.held());
		}
		return this;
	}

	/**
	 * Verify that the application does not hold a lock. Another node may hold it.
	 * @param key the key
	 * @return this assertion object
	 */
	public TestLocksAssert isNotHeld(String key) {
		if (this.actual.isHeld(key)) {
			throw failure("%nExpecting the application not to hold the lock%n  '%s'%nbut it holds%n  %s", key,
					this.actual.held());
		}
		return this;
	}

	/**
	 * Verify that the application holds no lock.
	 * @return this assertion object
	 */
	public TestLocksAssert hasNothingHeld() {
		if (!this.actual.held().isEmpty()) {
			throw failure("%nExpecting the application to hold no lock%nbut it holds%n  %s", this.actual.held());
		}
		return this;
	}

	/**
	 * Verify that a call of the application waits for a lock. It is seen soon after it
	 * has begun to wait, so await this.
	 * @param key the key
	 * @return this assertion object
	 */
	public TestLocksAssert isWaitedFor(String key) {
		if (!this.actual.isWaitedFor(key)) {
			throw failure("%nExpecting a call of the application to wait for the lock%n  '%s'%nbut none does", key);
		}
		return this;
	}

	/**
	 * Verify that the application has acquired a lock since the test began, whether it
	 * holds it still or not.
	 * @param key the key
	 * @return this assertion object
	 */
	public TestLocksAssert wasAcquired(String key) {
		if (this.actual.acquisitions(key) == 0) {
			throw failure("%nExpecting the application to have acquired the lock%n  '%s'%nbut it acquired%n  %s", key,
					this.actual.acquiredKeys());
		}
		return this;
	}

	/**
	 * Verify how often the application has acquired a lock since the test began. A
	 * re-entry does not count.
	 * @param key the key
	 * @param times the number of acquisitions
	 * @return this assertion object
	 */
	public TestLocksAssert wasAcquiredTimes(String key, int times) {
		int acquisitions = this.actual.acquisitions(key);
		if (acquisitions != times) {
			throw failureWithActualExpected(acquisitions, times,
					"%nExpecting the application to have acquired the lock%n  '%s'%n%s times, but it acquired it %s times. It acquired%n  %s",
					key, times, acquisitions, this.actual.acquiredKeys());
		}
		return this;
	}

	/**
	 * Verify that the application has not acquired a lock since the test began.
	 * @param key the key
	 * @return this assertion object
	 */
	public TestLocksAssert wasNeverAcquired(String key) {
		return wasAcquiredTimes(key, 0);
	}

}
