package io.distributedlock.examples.payouts;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.boot.test.AutoConfigureTestLocks;
import io.distributedlock.test.locks.Contention;
import io.distributedlock.test.locks.TestLocks;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static io.distributedlock.test.patience.Patience.await;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.never;

@SpringBootTest(properties = "lock.provider=redisson")
@AutoConfigureTestLocks
class PayoutsTests {

	@Autowired
	private TestLocks locks;

	@Autowired
	private Payouts payouts;

	@MockitoBean
	private Bank bank;

	@Test
	void paysUnderTheLockOfThePayout() {
		this.payouts.pay(42);
		assertThat(this.locks).wasAcquiredTimes("payout:42", 1).wasNeverAcquired("payout:43").hasNothingHeld();
	}

	@Test
	void paysNothingWhileAnotherNodePays() {
		this.locks.contend("payout:42").skipWaits();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.payouts.pay(42));
		then(this.bank).should(never()).transfer(anyInt());
	}

	@Test
	void paysWhenTheOtherNodeHasFinished() {
		Contention other = this.locks.contend("payout:42");
		CompletableFuture<Void> call = CompletableFuture.runAsync(() -> this.payouts.pay(42));
		await().untilAsserted(() -> assertThat(this.locks).isWaitedFor("payout:42"));
		other.release();
		assertThat(call).succeedsWithin(Patience.LIMIT);
	}

	@Test
	void paysNothingWithoutTheBackend() {
		this.locks.unavailable();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.payouts.pay(42));
	}

	@Test
	void writesNothingWhenTheLockIsLost() {
		willAnswer((call) -> {
			this.locks.expire("payout:43");
			return null;
		}).given(this.bank).transfer(43);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.payouts.pay(43));
		assertThat(this.payouts.isPaid(43)).isFalse();
	}

	@Test
	void closingMustNotTakeLongerThanItsLease() {
		this.payouts.close(() -> this.locks.advance(Duration.ofMinutes(9)));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.payouts.close(() -> this.locks.advance(Duration.ofMinutes(11))));
	}

}
