package io.distributedlock.examples;

import java.util.List;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs under the agent of AspectJ.
 */
class SelfInvocationWovenTests extends OnEveryProvider {

	@Test
	void callsWithinTheSameObjectAreLocked() {
		Invoices invoices = node(List.of("lock.mode=aspectj"), Invoices.class).getBean(Invoices.class);
		assertThat(AopUtils.isAopProxy(invoices)).isFalse();
		assertThat(invoices.sendAll(List.of("1", "2"))).isEqualTo(2);
	}

	static class Invoices {

		public long sendAll(List<String> ids) {
			return ids.stream().filter(this::send).count();
		}

		@DistributedLock("#id")
		private boolean send(String id) {
			return LockContext.current().key().endsWith("Invoices.send(String):" + id);
		}

	}

}
