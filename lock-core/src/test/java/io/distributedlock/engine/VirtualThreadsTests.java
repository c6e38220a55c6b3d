package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTests {

	@Test
	void crowdOfVirtualThreadsIsServedOneByOne() throws Exception {
		int crowd = 5000;
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
				each.get(60, TimeUnit.SECONDS);
			}
			executor.shutdown();
			assertThat(template.engine().gate().size()).isZero();
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
