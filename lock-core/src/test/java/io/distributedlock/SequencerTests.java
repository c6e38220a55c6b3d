package io.distributedlock;

import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.fencing.SequencerCheck;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SequencerTests {

	private final SequencerCheck check = new SequencerCheck();

	@Test
	void sequencerIsOneStringAndBack() {
		Sequencer sequencer = new Sequencer("shop:lock:order:42", LockType.EXCLUSIVE, 7);
		assertThat(sequencer).hasToString("7:EXCLUSIVE:shop:lock:order:42");
		assertThat(Sequencer.parse(sequencer.toString())).isEqualTo(sequencer);
	}

	/**
	 * Exact keys, and those of other layouts.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "a b", " {t}:a b/é ", "订单\uD83D\uDD12" })
	void sequencerOfAnyKeyIsRead(String key) {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
				LockHandle handle = template.acquire(LockRequest.ofExactKey(key))) {
			Sequencer sequencer = handle.sequencer().orElseThrow();
			assertThat(sequencer.key()).isEqualTo(key);
			assertThat(Sequencer.parse(sequencer.toString())).isEqualTo(sequencer);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "7", "7:EXCLUSIVE", "7:EXCLUSIVE:", "x:EXCLUSIVE:k", "7:NONE:k", "-1:READ:k",
			"9999999999999999999:READ:k", "7:READ:a\nb" })
	void whatIsNoSequencerIsRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> Sequencer.parse(text));
	}

	@Test
	void earlierHolderIsRefused() {
		assertThat(this.check.accept(exclusive(5))).isTrue();
		assertThat(this.check.accept(exclusive(5))).as("the same holder again").isTrue();
		assertThat(this.check.accept(exclusive(6))).isTrue();
		assertThat(this.check.accept(exclusive(5))).isFalse();
		assertThat(this.check.accept(new Sequencer("another", LockType.EXCLUSIVE, 1))).isTrue();
	}

	@Test
	void readersOfOneTimeAreAcceptedInAnyOrder() {
		assertThat(this.check.accept(new Sequencer("k", LockType.READ, 8))).isTrue();
		assertThat(this.check.accept(new Sequencer("k", LockType.READ, 7))).isTrue();
		assertThat(this.check.accept(new Sequencer("k", LockType.WRITE, 6))).as("a writer before them").isFalse();
		assertThat(this.check.accept(new Sequencer("k", LockType.WRITE, 9))).isTrue();
		assertThat(this.check.accept(new Sequencer("k", LockType.READ, 8))).as("a reader before the writer").isFalse();
	}

	private static Sequencer exclusive(long token) {
		return new Sequencer("k", LockType.EXCLUSIVE, token);
	}

}
