package io.distributedlock.examples;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.patience.Patience;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@EnabledForJreRange(min = JRE.JAVA_25)
class VirtualThreadsExampleTests extends OnEveryProvider {

	private static final int CROWD = 2000;

	@Test
	void crowdWaitsForOneKeyAndPinsNoCarrier(@TempDir Path folder) throws Exception {
		Counter counter = node(Counter.class).getBean(Counter.class);
		// the first use of a class pins its thread while it is loaded
		countInACrowd(counter);
		try (Recording recording = new Recording()) {
			recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO).withStackTrace();
			recording.start();
			countInACrowd(counter);
			recording.stop();
			assertThat(events(recording, folder.resolve("events.jfr"))).as("pinned").isEmpty();
		}
		assertThat(counter.value()).isEqualTo(2 * CROWD);
	}

	private static void countInACrowd(Counter counter) throws Exception {
		// the method is not in the API of the oldest JDK that this compiles for
		ExecutorService threads = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor")
			.invoke(null);
		List<Future<?>> crowd = new ArrayList<>();
		for (int i = 0; i < CROWD; i++) {
			crowd.add(threads.submit(counter::increment));
		}
		for (Future<?> each : crowd) {
			each.get(Patience.SECONDS, TimeUnit.SECONDS);
		}
		threads.shutdown();
	}

	private static List<RecordedEvent> events(Recording recording, Path file) throws IOException {
		recording.dump(file);
		return RecordingFile.readAllEvents(file);
	}

	static class Counter {

		private int value;

		@DistributedLock(name = "counter", waitTime = "1m")
		public void increment() {
			this.value++;
		}

		int value() {
			return this.value;
		}

	}

}
