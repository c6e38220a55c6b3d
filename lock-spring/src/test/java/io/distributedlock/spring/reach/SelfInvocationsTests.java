package io.distributedlock.spring.reach;

import java.util.Set;

import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.AopContext;

import static org.assertj.core.api.Assertions.assertThat;

class SelfInvocationsTests {

	@Test
	void callOnTheSameObjectIsFound() {
		assertThat(selfInvocations(CallsItself.class)).containsExactly("outer() calls inner()");
	}

	@Test
	void classThatAsksForItsProxyIsNotWarnedAbout() {
		assertThat(selfInvocations(CallsItsProxy.class)).isEmpty();
	}

	private static Set<String> selfInvocations(Class<?> type) {
		return SelfInvocations.find(type, (method) -> method.getName().equals("inner"));
	}

	static class CallsItself {

		public String outer(String id) {
			return inner(id);
		}

		public String inner(String id) {
			return id;
		}

	}

	static class CallsItsProxy {

		public String outer(String id) {
			return ((CallsItsProxy) AopContext.currentProxy()).inner(id);
		}

		public String inner(String id) {
			return id;
		}

	}

}
