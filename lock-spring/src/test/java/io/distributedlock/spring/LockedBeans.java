package io.distributedlock.spring;

import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockOperationException;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Beans with one locked method, for tests of how beans get their locks.
 */
final class LockedBeans {

	private LockedBeans() {
	}

	/**
	 * Return the key of the lock that this thread holds.
	 */
	static String heldKey() {
		return LockContext.find().map(LockHandle::key).orElse("no lock");
	}

	/**
	 * Assert that an application with these beans does not start because a locked method
	 * would run without its lock.
	 */
	static void assertThatStartFails(RecordingProvider provider, Consumer<AnnotationConfigApplicationContext> beans,
			String... partsOfTheMessage) {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> Contexts.open(provider, false, true, beans).close())
			.satisfies((failure) -> assertThat(rootCause(failure)).isInstanceOf(InvalidLockOperationException.class)
				.message()
				.contains(partsOfTheMessage));
	}

	static Throwable rootCause(Throwable failure) {
		Throwable cause = failure;
		while (cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause;
	}

	interface Api {

		String run();

	}

	static class Plain implements Api {

		@Override
		@DistributedLock
		public String run() {
			return heldKey();
		}

	}

	/**
	 * A post-processor that is created before the one for locks.
	 */
	static class First implements BeanPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

}
