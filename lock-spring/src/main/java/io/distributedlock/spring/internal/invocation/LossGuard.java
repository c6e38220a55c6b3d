package io.distributedlock.spring.internal.invocation;

import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.spring.internal.support.MethodBody;
import org.jspecify.annotations.Nullable;

/**
 * Does what {@link OnLost} says if the lease is lost while a method runs on a thread. It
 * never interrupts the thread after the method has ended.
 */
final class LossGuard {

	private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

	private final Thread thread = Thread.currentThread();

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
		if (this.state.compareAndSet(State.RUNNING, State.INTERRUPTING)) {
			if (this.thread.isInterrupted()) {
				// by somebody else, which stops the method as well
				this.state.set(State.INTERRUPTED_BEFORE);
				return;
			}
			this.thread.interrupt();
			this.state.set(State.INTERRUPTED);
		}
	}

	/**
	 * Note that the method has ended, and clear the interrupt that was meant for it. If
	 * the method has swallowed that one, an interrupt of somebody else is cleared: a
	 * thread does not tell who has interrupted it.
	 * @param cleared whether the method is known to have cleared it
	 * @return whether the method was interrupted
	 */
	private boolean ended(boolean cleared) {
		if (this.state.compareAndSet(State.RUNNING, State.ENDED)) {
			return false;
		}
		while (this.state.get() == State.INTERRUPTING) {
			Thread.onSpinWait();
		}
		if (!cleared && this.state.get() == State.INTERRUPTED) {
			Thread.interrupted();
		}
		return true;
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

	private enum State {

		RUNNING, INTERRUPTING, INTERRUPTED, INTERRUPTED_BEFORE, ENDED

	}

}
