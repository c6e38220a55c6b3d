package io.distributedlock.local;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LocalLockProviderTests {

	@Test
	void leasesThatNobodyReleasesAreForgotten() {
		AtomicLong now = new AtomicLong();
		LocalLockProvider provider = new LocalLockProvider(now::get);
		for (int i = 0; i < 10_000; i++) {
			LeaseRequest request = new LeaseRequest("k" + i, Duration.ofMillis(10), LockType.EXCLUSIVE);
			assertThat(provider.tryAcquire(request)).isCompleted();
			now.addAndGet(request.leaseTime().toNanos());
		}
		assertThat(provider.size()).isLessThan(2000);
	}

}
