package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Creates the nodes, keys and requests for the cases of the kit. Each node has a provider
 * and a client of its own.
 */
abstract class KitNodes {

	/**
	 * Far longer than any case takes, so that only a signal can wake a waiter.
	 */
	static final Duration NEVER_POLL = Duration.ofMinutes(10);

	/**
	 * How long a case waits for what must happen soon, with time for a slow machine.
	 */
	static final Duration PATIENCE = Patience.LIMIT;

	/**
	 * Runs each task on a thread of its own: the common pool has only a single thread on
	 * small machines.
	 */
	static final Executor OTHER_THREAD = (task) -> new Thread(task, "kit-other").start();

	/**
	 * The command time-out of nodes whose server is disturbed: short, as cases wait for
	 * it. All other nodes have {@link #PATIENCE}.
	 */
	static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * Whether cases with faults run for minutes instead of seconds. The property
	 * {@code -Dlock.kit.faults=long} asks for that.
	 */
	static final boolean THOROUGH = "long".equals(System.getProperty("lock.kit.faults"));

	/**
	 * Why a case that needs a second JVM or a connection is skipped.
	 */
	static final String SINGLE_JVM = "skipped because the provider works in this JVM only";

	private final List<AutoCloseable> opened = new ArrayList<>();

	/**
	 * Before the nodes are closed, which removes what they have left.
	 */
	@RegisterExtension
	final AfterTestExecutionCallback check = (context) -> {
		if (context.getExecutionException().isEmpty()) {
			assertNothingIsLeft();
		}
	};

	private String testKey = "";

	private String mark = "";

	private @Nullable LockProvider sample;

	private Set<LockCapability> seen = Set.of();

	/**
	 * Return how to create the provider under test.
	 * @return the source of providers, all on the same backend
	 */
	protected abstract ProviderSource source();

	@BeforeEach
	final void nameKey(TestInfo test) {
		this.mark = Long.toString(System.nanoTime());
		this.testKey = test.getDisplayName() + this.mark;
	}

	@AfterEach
	final void closeNodes() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
		this.opened.clear();
	}

	final LockProvider provider() {
		return provider(PATIENCE);
	}

	final LockProvider provider(Duration commandTimeout) {
		ProviderFactory.Node node = source().createConnected(commandTimeout);
		open(node.client());
		this.seen = node.provider().capabilities();
		return open(node.provider());
	}

	final DefaultLockTemplate node() {
		return node(UnaryOperator.identity());
	}

	final DefaultLockTemplate node(UnaryOperator<LockTemplateBuilder> settings) {
		return node(provider(), settings);
	}

	final DefaultLockTemplate node(LockProvider provider, UnaryOperator<LockTemplateBuilder> settings) {
		return open(settings.apply(template(provider)).build());
	}

	/**
	 * Return a node whose server is disturbed.
	 */
	final DefaultLockTemplate briefNode(Duration renewalLeaseTime) {
		return node(provider(COMMAND_TIMEOUT),
				(settings) -> settings.commandTimeout(COMMAND_TIMEOUT).renewalLeaseTime(renewalLeaseTime));
	}

	static LockTemplateBuilder template(LockProvider provider) {
		return DefaultLockTemplate.builder()
			.provider(provider)
			.keyPrefix("kit")
			.commandTimeout(PATIENCE)
			.renewalLeaseTime(longLease(provider))
			.waitTime(PATIENCE)
			.pollInterval(Duration.ofMillis(100));
	}

	/**
	 * Return a node with proxies between it and the servers. The case is skipped if the
	 * source names no ports for proxies.
	 */
	final ProxiedNode proxiedNode(UnaryOperator<LockTemplateBuilder> settings) {
		Assumptions.assumeTrue(source().sharedBetweenJvms(), SINGLE_JVM);
		Assumptions.assumeFalse(source().faults().ports().isEmpty(), "the source names no ports for proxies");
		ProxiedNode proxied = ProxiedNode.open(source(),
				(provider) -> node(provider, (builder) -> settings.apply(builder.commandTimeout(COMMAND_TIMEOUT))));
		return open(proxied);
	}

	final <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

	/**
	 * Return a key that no other case uses.
	 */
	final String key() {
		return this.testKey;
	}

	/**
	 * Return the part of its keys that only this case has.
	 */
	final String mark() {
		return this.mark;
	}

	final LockRequest request() {
		return LockRequest.of(this.testKey);
	}

	final LockRequest lease(Duration leaseTime) {
		return request().withLeaseTime(leaseTime);
	}

	/**
	 * Return a request for a lock type, with a key that ends with that type.
	 */
	final LockRequest request(LockType type, Object suffix) {
		return requestForKey(type, this.testKey + suffix + type);
	}

	static LockRequest requestForKey(LockType type, String key) {
		LockRequest request = LockRequest.of(key);
		return (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
	}

	/**
	 * Return the lock types that the provider grants.
	 */
	final List<LockType> types() {
		return Stream.of(LockType.values())
			.filter((type) -> type.requiredCapability() == null || isCapableOf(type.requiredCapability()))
			.toList();
	}

	/**
	 * Return a lease time that is longer than any case waits, or the longest that the
	 * provider grants: a lease that is left behind is noticed.
	 */
	final Duration longLease() {
		return longLease(sample());
	}

	private static Duration longLease(LockProvider provider) {
		Duration longest = provider.leaseLimits().longest();
		Duration wanted = PATIENCE.multipliedBy(2);
		return (longest.compareTo(wanted) < 0) ? longest : wanted;
	}

	/**
	 * Check that locks are free: acquire each so that it excludes all others, and release
	 * it.
	 */
	final void assertFree(LockTemplate node, List<LockRequest> requests) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		for (LockRequest request : requests) {
			LockRequest alone = alone(request);
			Duration rest = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
			assertThatNoException().as("nobody holds '%s', so it must be available", alone.key())
				.isThrownBy(() -> node.acquireAsync(alone.withWaitTime(rest)).join().close());
		}
	}

	/**
	 * Check that the server keeps nothing of the calls of this case. Their leases last
	 * longer than this waits.
	 */
	final void assertNothingIsLeft() {
		Patience.await("nothing is left on the server")
			.atMost(PATIENCE.dividedBy(3))
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(source().entries().get().stream().filter((entry) -> entry.contains(mark())))
				.isEmpty());
	}

	/**
	 * Return a request that is granted only if nobody has the lock.
	 */
	static LockRequest alone(LockRequest request) {
		return request.withType(alone(request.type()));
	}

	static LockType alone(LockType type) {
		return (type == LockType.READ) ? LockType.WRITE : type;
	}

	/**
	 * Return a short lease time, but not too short for the provider or for a slow
	 * machine.
	 */
	final Duration shortLease() {
		return atLeastShortest(Duration.ofMillis(300));
	}

	final Duration atLeastShortest(Duration wanted) {
		Duration shortest = limits().shortest();
		return (wanted.compareTo(shortest) >= 0) ? wanted : shortest;
	}

	final LeaseLimits limits() {
		return sample().leaseLimits();
	}

	final boolean isCapableOf(LockCapability capability) {
		return sample().capabilities().contains(capability);
	}

	final Set<LockCapability> capabilities() {
		LockProvider current = this.sample;
		return (current != null) ? current.capabilities() : this.seen;
	}

	final LockProvider sample() {
		LockProvider current = this.sample;
		if (current == null) {
			current = provider();
			this.sample = current;
		}
		return current;
	}

	/**
	 * Return a key as a provider sees it.
	 */
	final String providerKey() {
		return "kit:spi:" + this.mark;
	}

	final @Nullable Lease attempt(LockProvider provider, Duration leaseTime) {
		return attempt(provider, providerKey(), LockType.EXCLUSIVE, leaseTime);
	}

	static @Nullable Lease attempt(LockProvider provider, String key, LockType type, Duration leaseTime) {
		return get(provider.tryAcquire(new LeaseRequest(key, leaseTime, type)));
	}

	static <T extends @Nullable Object> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
	}

}
