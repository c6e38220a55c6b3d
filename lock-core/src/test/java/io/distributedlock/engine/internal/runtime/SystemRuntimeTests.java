package io.distributedlock.engine.internal.runtime;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.engine.ThreadlessThread;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class SystemRuntimeTests {

	/**
	 * In a JVM of its own, in which nothing was delayed before.
	 */
	@Test
	void firstTaskForABusyExecutorRunsThoughTheJvmHadNoThread() throws Exception {
		Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), FirstTask.class.getName())
			.redirectErrorStream(true)
			.redirectOutput(Path.of("target", "first-task.log").toFile())
			.start();
		try {
			assertThat(jvm.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).as("ends").isTrue();
			assertThat(jvm.exitValue()).isZero();
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	/**
	 * Ends with zero when the task has run.
	 */
	static final class FirstTask {

		public static void main(String[] arguments) throws InterruptedException {
			SystemRuntime runtime = new SystemRuntime((task) -> {
				// has no thread for it
			});
			CountDownLatch ran = new CountDownLatch(1);
			ThreadlessThread.run(() -> runtime.callBack(ran::countDown, null));
			System.exit(ran.await(Patience.SECONDS / 2, TimeUnit.SECONDS) ? 0 : 1);
		}

	}

}
