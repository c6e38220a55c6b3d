package io.distributedlock.spring;

import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

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
