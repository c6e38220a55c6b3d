package io.distributedlock.test.locks;

/**
 * Entry point for assertions on locks, for a static import. AssertJ's own
 * {@code assertThat} works, too.
 *
 * @since 0.1
 */
public final class LockAssertions {

	private LockAssertions() {
	}

	/**
	 * Begin assertions on locks.
	 * @param locks the locks
	 * @return the assertions
	 */
	public static TestLocksAssert assertThat(TestLocks locks) {
		return new TestLocksAssert(locks);
	}

}
