package io.distributedlock.local;

import java.time.Duration;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LocalLockProviderTests {

	@Test
	void leasesThatNobodyReleasesAreForgotten() {
		LocalLockProvider provider = new LocalLockProvider();
		for (int i = 0; i < 100; i++) {
			LeaseRequest request = new LeaseRequest("k" + i, Duration.ofMillis(10), LockType.EXCLUSIVE);
			assertThat(provider.tryAcquire(request)).isCompleted();
		}
		Patience.await().until(() -> provider.size() == 0);
	}

}
