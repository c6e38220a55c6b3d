package io.distributedlock.examples;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockContext;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs under the agent of AspectJ.
 */
class SelfInvocationWovenTests extends OnEveryProvider {

	@Test
	void callsOnTheSameObjectAreLocked() {
		ConfigurableApplicationContext node = node(List.of("lock.mode=aspectj"), Invoices.class, RecordingPost.class);
		Invoices invoices = node.getBean(Invoices.class);
		assertThat(AopUtils.isAopProxy(invoices)).isFalse();
		invoices.sendAll(List.of("1", "2"));
		assertThat(node.getBean(RecordingPost.class).locks()).satisfiesExactly(
				(key) -> assertThat(key).endsWith("Invoices.send(String):1"),
				(key) -> assertThat(key).endsWith("Invoices.send(String):2"));
	}

	static class RecordingPost implements Invoices.Post {

		private final List<String> locks = new ArrayList<>();

		@Override
		public void send(String id) {
			this.locks.add(LockContext.current().key());
		}

		List<String> locks() {
			return this.locks;
		}

	}

}
