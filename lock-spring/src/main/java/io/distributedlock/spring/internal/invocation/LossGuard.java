package io.distributedlock.spring.internal.invocation;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.spi.support.Mutex;
import io.distributedlock.spring.internal.support.MethodBody;
import org.jspecify.annotations.Nullable;

/**
 * Does what {@link OnLost} says if the lease is lost while a method runs on a thread. It
 * never interrupts the thread after the method has ended.
 */
final class LossGuard {

	private final Mutex mutex = new Mutex();

	private final Thread thread = Thread.currentThread();

	private boolean ended;

	private boolean lost;

	/**
	 * Whether the thread was interrupted here. An interrupt of somebody else stops the
	 * method as well.
	 */
	private boolean interrupted;

	private LossGuard() {
	}

	static @Nullable Object run(OnLost policy, LockHandle handle, MethodBody method) throws Throwable {
		return switch (policy) {
			case REPORT -> method.run();
			case THROW -> {
				Object result = method.run();
				handle.ensureHeld();
				yield result;
			}
			case INTERRUPT -> new LossGuard().interrupting(handle, method);
		};
	}

	private @Nullable Object interrupting(LockHandle handle, MethodBody method) throws Throwable {
		handle.onLost((loss) -> interrupt());
		Object result;
		try {
			result = method.run();
		}
		catch (Throwable ex) {
			if (ended(ex instanceof InterruptedException)) {
				throw lost(handle, ex);
			}
			throw ex;
		}
		ended(false);
		handle.ensureHeld();
		return result;
	}

	private void interrupt() {
		this.mutex.run(() -> {
			this.lost = !this.ended;
			this.interrupted = this.lost && !this.thread.isInterrupted();
			if (this.interrupted) {
				this.thread.interrupt();
			}
		});
	}

	/**
	 * Note that the method has ended, and clear the interrupt that was meant for it. If
	 * the method has swallowed that one, an interrupt of somebody else is cleared: a
	 * thread does not tell who has interrupted it.
	 * @param cleared whether the method is known to have cleared it
	 * @return whether the method was interrupted
	 */
	private boolean ended(boolean cleared) {
		return this.mutex.get(() -> {
			this.ended = true;
			if (this.interrupted && !cleared) {
				Thread.interrupted();
			}
			return this.lost;
		});
	}

	private static Throwable lost(LockHandle handle, Throwable failure) {
		try {
			handle.ensureHeld();
			return failure;
		}
		catch (LockLostException ex) {
			if (ex != failure) {
				ex.addSuppressed(failure);
			}
			return ex;
		}
	}

}
