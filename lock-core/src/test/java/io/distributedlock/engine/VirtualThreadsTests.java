package io.distributedlock.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.patience.Patience;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTests {

	@Test
	void crowdOfVirtualThreadsIsServedOneByOneAndPinsNoCarrier() throws Exception {
		int crowd = 5000;
		// the first use of a class pins its thread while it is loaded
		serve(crowd);
		try (Recording recording = new Recording()) {
			recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO).withStackTrace();
			recording.start();
			serve(crowd);
			recording.stop();
			assertThat(events(recording)).as("pinned").isEmpty();
		}
	}

	private static List<RecordedEvent> events(Recording recording) throws IOException {
		Path file = Files.createTempFile("virtual-threads", ".jfr");
		try {
			recording.dump(file);
			return RecordingFile.readAllEvents(file);
		}
		finally {
			Files.delete(file);
		}
	}

	private static void serve(int crowd) throws Exception {
		int[] unguarded = new int[1];
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build()) {
			LockRequest request = LockRequest.of("one key").withWaitTime(Duration.ofMinutes(1));
			ExecutorService executor = virtualThreads();
			List<Future<?>> waiting = new ArrayList<>();
			for (int i = 0; i < crowd; i++) {
				waiting.add(executor.submit(() -> template.execute(request, () -> {
					unguarded[0]++;
				})));
			}
			for (Future<?> each : waiting) {
				each.get(Patience.SECONDS, TimeUnit.SECONDS);
			}
			executor.shutdown();
			assertThat(template.keys.size()).isZero();
		}
		assertThat(unguarded[0]).isEqualTo(crowd);
	}

	/**
	 * The method is not in the API of the oldest JDK that this compiles for.
	 */
	private static ExecutorService virtualThreads() throws ReflectiveOperationException {
		return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
	}

}
