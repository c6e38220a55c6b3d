package io.distributedlock.spring;

import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("proxies")
@ExtendWith(OutputCaptureExtension.class)
class UnreachableMethodTests {

	@Test
	void methodsOutOfAProxysReachAreWarnedAbout(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = Contexts.open(new RecordingProvider(), false, Hidden.class)) {
			assertThat(AopUtils.isAopProxy(context.getBean(Hidden.class))).isTrue();
			assertThat(output).contains("Hidden.secret has no effect: a private method")
				.contains("Hidden.fixed has no effect: a public final method")
				.contains("Hidden.shared has no effect: a public static method")
				.contains("LockTemplate")
				.doesNotContain("Hidden.open has");
		}
	}

	@Test
	void callsWithinTheSameObjectAreWarnedAbout(CapturedOutput output) {
		Contexts.open(new RecordingProvider(), false, Talking.class, ThroughProxy.class).close();
		assertThat(output).contains("Talking, direct() calls locked()")
			.contains("Talking, inLambda() calls locked()")
			.contains("Talking, byReference() calls locked()")
			.contains("lock.mode=aspectj")
			.doesNotContain("Talking, other() calls")
			.doesNotContain("ThroughProxy, ");
	}

	@SuppressWarnings("unused")
	static class Talking {

		@DistributedLock
		public void locked() {
		}

		public void direct() {
			locked();
		}

		public void inLambda() {
			Runnable runnable = () -> {
				locked();
			};
			runnable.run();
		}

		public void byReference() {
			Runnable runnable = this::locked;
			runnable.run();
		}

		public void other() {
			direct();
		}

	}

	static class ThroughProxy {

		@Autowired
		@Lazy
		private ThroughProxy self;

		@DistributedLock
		public void locked() {
		}

		public void call() {
			this.self.locked();
		}

	}

	static class Hidden {

		@DistributedLock
		public void open() {
			secret();
		}

		@DistributedLock
		private void secret() {
		}

		@DistributedLock
		public final void fixed() {
		}

		@DistributedLock
		public static void shared() {
		}

	}

}
