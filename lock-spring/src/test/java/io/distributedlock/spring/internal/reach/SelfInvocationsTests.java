package io.distributedlock.spring.internal.reach;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.distributedlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.AopContext;
import org.springframework.cache.Cache;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.ApplicationObjectSupport;
import org.springframework.core.OverridingClassLoader;
import org.springframework.integration.handler.AbstractReplyProducingMessageHandler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

class SelfInvocationsTests {

	@Test
	void callOnTheSameObjectIsFound() {
		assertThat(selfInvocations(CallsItself.class)).containsExactly("outer() calls inner()");
	}

	@Test
	void callOnAnotherObjectIsNotWarnedAbout() {
		assertThat(selfInvocations(CallsOthers.class)).containsExactly("inner() calls inner()",
				"itself() calls inner()");
	}

	@Test
	void callByAFrameworkIsFound() {
		assertThat(SelfInvocations.find(Caches.class, true, (method) -> method.getName().equals("getMissingCache")))
			.containsExactly("getCache() calls getMissingCache()");
		assertThat(SelfInvocations.find(Stopping.class, true, (method) -> method.getName().equals("stop")))
			.containsExactly("stop() calls stop()");
	}

	@Test
	void finalMethodRunsOnAProxyThatIsASubclass() {
		assertThat(selfInvocations(Fixed.class)).isEmpty();
		assertThat(SelfInvocations.find(Fixed.class, false, (method) -> method.getName().equals("inner")))
			.containsExactly("inLambda() calls inner()", "outer() calls inner()");
		assertThat(selfInvocations(CallsFixed.class)).containsExactly("outer() calls inner()");
		assertThat(SelfInvocations.find(Initialized.class, true, (method) -> method.getParameterCount() == 1))
			.isEmpty();
	}

	@Test
	void finalMethodThatAnotherOneCallsRunsOnTheObject() {
		assertThat(
				SelfInvocations.find(Replying.class, true, (method) -> method.getName().equals("handleRequestMessage")))
			.containsExactly("doHandleMessage() calls handleRequestMessage()");
	}

	/**
	 * A class may have a field for a library that is optional.
	 */
	@Test
	void classThatNamesAMissingLibraryIsNoReasonToFail() throws Exception {
		Class<?> type = new WithoutLibrary().loadClass(OfALibrary.class.getName());
		assertThatNoException().isThrownBy(() -> UnreachableMethods.warnOfCalls(type, true));
	}

	private static Set<String> selfInvocations(Class<?> type) {
		return SelfInvocations.find(type, true, (method) -> method.getName().equals("inner"));
	}

	static class Caches extends SimpleCacheManager {

		@Override
		protected @Nullable Cache getMissingCache(String name) {
			return null;
		}

	}

	abstract static class Stopping implements SmartLifecycle {

		@Override
		public void stop() {
		}

	}

	static class Initialized extends ApplicationObjectSupport {

		@Override
		protected void initApplicationContext(ApplicationContext context) {
		}

	}

	abstract static class Replying extends AbstractReplyProducingMessageHandler {

	}

	static class CallsItself {

		public String outer(String id) {
			return inner(id);
		}

		public String inner(String id) {
			return id;
		}

	}

	static class OfALibrary {

		public void serve(Library library) {
		}

		public String outer(String id) {
			return inner(id);
		}

		@DistributedLock("#p0")
		public String inner(String id) {
			return id;
		}

	}

	static class Library {

	}

	private static final class WithoutLibrary extends OverridingClassLoader {

		private WithoutLibrary() {
			super(SelfInvocationsTests.class.getClassLoader());
		}

		@Override
		protected boolean isEligibleForOverriding(String className) {
			return className.startsWith(SelfInvocationsTests.class.getName());
		}

		@Override
		public Class<?> loadClass(String name) throws ClassNotFoundException {
			if (name.equals(Library.class.getName())) {
				throw new ClassNotFoundException(name);
			}
			return super.loadClass(name);
		}

	}

	static class Fixed {

		public final String outer(String id) {
			return inner(id);
		}

		public final UnaryOperator<String> inLambda() {
			return (id) -> inner(id + id);
		}

		public String inner(String id) {
			return id;
		}

	}

	static class CallsFixed {

		public void outer(List<String> ids) {
			inLambda(ids);
		}

		public final void inLambda(List<String> ids) {
			ids.forEach((id) -> inner(id));
		}

		public void inner(String id) {
		}

	}

	static class CallsOthers {

		private @Nullable CallsOthers self;

		public void fromLambda(Optional<CallsOthers> other, String id) {
			other.ifPresent((any) -> any.inner(id));
		}

		public Optional<String> fromReference(Optional<CallsOthers> other) {
			return other.map(CallsOthers::inner);
		}

		public String fromField(String id) {
			return (this.self != null) ? this.self.inner(id) : id;
		}

		public String fromParameter(CallsOthers other, String id) {
			return other.inner(id);
		}

		public UnaryOperator<String> byReference(CallsOthers other) {
			return other::inner;
		}

		public String fromCall(String id) {
			return proxy().inner(id);
		}

		public String fromCast(String id) {
			return ((CallsOthers) AopContext.currentProxy()).inner(id);
		}

		private CallsOthers proxy() {
			return (CallsOthers) AopContext.currentProxy();
		}

		public String itself(String id) {
			return inner(id);
		}

		public String inner() {
			return inner("1");
		}

		public String inner(String id) {
			return id;
		}

	}

}
