package io.distributedlock.application;

/**
 * How a node takes the lock.
 */
@FunctionalInterface
interface Locking {

	/**
	 * Take the lock, however long that takes.
	 */
	Held lock() throws Exception;

	/**
	 * Return a lock that is the first, then the second one.
	 */
	default Locking then(Locking second) {
		return () -> {
			Held first = lock();
			try {
				Held both = second.lock();
				return () -> {
					both.unlock();
					first.unlock();
				};
			}
			catch (Exception ex) {
				first.unlock();
				throw ex;
			}
		};
	}

	/**
	 * A lock that a node has.
	 */
	@FunctionalInterface
	interface Held {

		void unlock() throws Exception;

	}

}
