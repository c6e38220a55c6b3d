package io.distributedlock.test.server.contract;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.patience.Patience;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The suite with which ShedLock tests its own providers. Three nodes share the calls: the
 * next call is made on the next node. Its fuzz test waits for no lock but asks again and
 * again, which takes more than a minute where each question is slow.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
public abstract class ShedLockContract extends AbstractExtensibleLockProviderIntegrationTest {

	private final Deque<AutoCloseable> opened = new ArrayDeque<>();

	private final List<LockTemplate> nodes = new ArrayList<>();

	private final AtomicInteger calls = new AtomicInteger();

	private Duration shortest = Duration.ZERO;

	private Set<LockCapability> capabilities = Set.of();

	/**
	 * Return how to create the provider under test.
	 * @return the source of providers, all on the same backend
	 */
	protected abstract ProviderSource source();

	@BeforeEach
	void openNodes() {
		for (int i = 0; i < 3; i++) {
			ProviderFactory.Node node = source().create();
			this.opened.push(node.client());
			this.opened.push(node.provider());
			DefaultLockTemplate template = DefaultLockTemplate.builder()
				.provider(node.provider())
				.commandTimeout(Patience.LIMIT)
				.build();
			this.opened.push(template);
			this.nodes.add(template);
			// the first answer of a client takes longer
			template.execute(LockRequest.of(this.LOCK_NAME1).withWaitTime(Patience.LIMIT), () -> {
			});
			this.capabilities = node.provider().capabilities();
			// the suite asks for 2 ms: an answer takes longer on a busy machine, and some
			// servers count in seconds
			this.shortest = longer(Duration.ofSeconds(isExact() ? 1 : 3), node.provider().leaseLimits().shortest());
		}
	}

	@AfterEach
	void closeNodes() throws Exception {
		for (AutoCloseable each : this.opened) {
			each.close();
		}
	}

	@Override
	protected ExtensibleLockProvider getLockProvider() {
		return (wanted) -> {
			Optional<LockHandle> handle = tryAcquire(wanted.getName(), wanted.getLockAtMostFor(),
					wanted.getLockAtLeastFor());
			if (handle.isEmpty()) {
				// the fuzz test asks again at once: a refusal inside of a JVM is so quick
				// that its eight threads would take the cores from all other tests
				LockSupport.parkNanos(1_000_000);
			}
			return handle.map((held) -> new HeldLock(wanted, held, false));
		};
	}

	@Override
	protected void assertUnlocked(String lockName) {
		Optional<LockHandle> handle = tryAcquire(lockName, Duration.ofMinutes(1), Duration.ZERO);
		assertThat(handle).as("a free lock").isPresent();
		handle.ifPresent(LockHandle::close);
	}

	@Override
	protected void assertLocked(String lockName) {
		assertThat(tryAcquire(lockName, Duration.ofMinutes(1), Duration.ZERO)).as("a second owner").isEmpty();
	}

	@Override
	protected void doTestTimeout(Duration lockAtMostFor) throws InterruptedException {
		super.doTestTimeout(longer(lockAtMostFor, this.shortest));
	}

	@Override
	protected void doTestShouldLockAtLeastFor(int sleepForMs) throws InterruptedException {
		Assumptions.assumeTrue(hasDelay(), "the provider has no lock delay");
		super.doTestShouldLockAtLeastFor(sleepForMs + 900);
	}

	@Override
	protected void sleepFor(Duration duration) {
		super.sleepFor(longer(duration, this.shortest.plusMillis(isExact() ? 1500 : 3500)));
	}

	private boolean isExact() {
		return this.capabilities.contains(LockCapability.EXACT_EXPIRY);
	}

	private boolean hasDelay() {
		return this.capabilities.contains(LockCapability.LOCK_DELAY);
	}

	private Optional<LockHandle> tryAcquire(String name, Duration atMost, Duration atLeast) {
		LockTemplate node = this.nodes.get(this.calls.getAndIncrement() % this.nodes.size());
		LockRequest request = LockRequest.of(name)
			.withLeaseTime(longer(atMost, this.shortest))
			.withHoldAtLeast(hasDelay() ? atLeast : Duration.ZERO)
			.withReentrant(false);
		return answered(() -> node.tryAcquire(request));
	}

	/**
	 * Make a call until the backend answers: a client with a short time-out may find no
	 * processor on a busy machine, and the suite has no answer for an outage.
	 */
	private static <T> T answered(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (LockUnavailableException ex) {
			// not at once: what the failed call has left behind is removed first
			return Patience.await()
				.pollDelay(Duration.ofMillis(500))
				.ignoreException(LockUnavailableException.class)
				.until(call::get, (answer) -> true);
		}
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

	private static final class HeldLock extends AbstractSimpleLock {

		private final LockHandle handle;

		private final boolean extended;

		HeldLock(LockConfiguration wanted, LockHandle handle, boolean extended) {
			super(wanted);
			this.handle = handle;
			this.extended = extended;
		}

		@Override
		protected void doUnlock() {
			Duration rest = Duration.between(ClockProvider.now(), this.lockConfiguration.getLockAtLeastUntil());
			if (this.extended && !rest.isNegative()) {
				// an extension does not change the minimum hold time of a handle
				DelayedTasks.after(rest).execute(this.handle::close);
			}
			else {
				this.handle.close();
			}
		}

		private void extend(Duration leaseTime) {
			answered(() -> {
				this.handle.extend(leaseTime);
				return true;
			});
		}

		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration wanted) {
			try {
				extend(wanted.getLockAtMostFor());
				return Optional.of(new HeldLock(wanted, this.handle, true));
			}
			catch (LockLostException ex) {
				return Optional.empty();
			}
		}

	}

}
