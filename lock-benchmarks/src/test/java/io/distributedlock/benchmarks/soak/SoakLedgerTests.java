package io.distributedlock.benchmarks.soak;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockHandle;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the ledger reports violations: otherwise a soak could not find any.
 */
class SoakLedgerTests {

	private final List<String> violations = new CopyOnWriteArrayList<>();

	private SoakLedger ledger;

	@BeforeEach
	void open(@TempDir Path folder) {
		this.ledger = SoakLedger.open(folder.resolve("ledger"), 2, 4, this.violations::add);
	}

	@Test
	void ownersOneAfterAnotherAreNoViolation() {
		try (DefaultLockTemplate template = template()) {
			for (int worker = 0; worker < 3; worker++) {
				try (LockHandle handle = template.acquire("k")) {
					SoakLedger.Hold hold = this.ledger.enter(0, worker, 1, false, handle);
					assertThat(hold.touch()).isTrue();
					hold.leave();
				}
			}
		}
		assertThat(this.violations).isEmpty();
		assertThat(this.ledger.holds(0)).isEqualTo(3);
	}

	@Test
	void twoOwnersAreReported() {
		assertThat(overlap(1, false, false)).anySatisfy((violation) -> assertThat(violation).contains("together"));
	}

	@Test
	void readersMayHoldTogetherButNotWithAWriter() {
		assertThat(overlap(1, true, true)).isEmpty();
		assertThat(overlap(1, true, false)).isNotEmpty();
	}

	@Test
	void permitsAreCounted() {
		assertThat(overlap(2, false, false)).isEmpty();
		try (DefaultLockTemplate a = template();
				DefaultLockTemplate b = template();
				DefaultLockTemplate c = template()) {
			List<SoakLedger.Hold> holds = List.of(this.ledger.enter(1, 0, 2, false, a.acquire("k")),
					this.ledger.enter(1, 1, 2, false, b.acquire("k")),
					this.ledger.enter(1, 2, 2, false, c.acquire("k")));
			pause();
			holds.forEach(SoakLedger.Hold::touch);
			holds.forEach(SoakLedger.Hold::leave);
		}
		assertThat(this.violations).anySatisfy((violation) -> assertThat(violation).contains("3 holders of 2"));
	}

	@Test
	void tokenThatDoesNotRiseIsReported() {
		try (DefaultLockTemplate late = template(); DefaultLockTemplate early = template()) {
			early.acquire("k").close();
			early.acquire("k").close();
			LockHandle higher = early.acquire("k");
			LockHandle lower = late.acquire("k");
			this.ledger.enter(0, 0, 1, false, higher).leave();
			this.ledger.enter(0, 1, 1, false, lower).leave();
		}
		assertThat(this.violations).anySatisfy((violation) -> assertThat(violation).contains("token"));
	}

	/**
	 * Let two workers hold a lock together, each on its own provider.
	 */
	private List<String> overlap(int permits, boolean firstShared, boolean secondShared) {
		this.violations.clear();
		try (DefaultLockTemplate first = template(); DefaultLockTemplate second = template()) {
			SoakLedger.Hold a = this.ledger.enter(0, 0, permits, firstShared, first.acquire("k"));
			SoakLedger.Hold b = this.ledger.enter(0, 1, permits, secondShared, second.acquire("k"));
			pause();
			a.touch();
			b.leave();
			a.leave();
		}
		return this.violations.stream().filter((violation) -> !violation.contains("token")).toList();
	}

	private static void pause() {
		LockSupport.parkNanos(2_000_000);
	}

	private static DefaultLockTemplate template() {
		return DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
	}

}
