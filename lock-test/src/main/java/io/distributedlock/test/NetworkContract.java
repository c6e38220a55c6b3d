package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.distributedlock.LockCapability;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.test.network.ProxyConnection;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.network.TcpProxy.Direction;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.StandardError;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that a network which loses replies, cuts connections or goes silent leads to no
 * second owner, no waiter that hangs and nothing left behind on the backend. A case about
 * a lost reply runs in steps: it loses the first reply, then the second, until there is
 * no further reply to lose.
 */
abstract class NetworkContract extends KeyContract {

	private static final Logger logger = LoggerFactory.getLogger(NetworkContract.class);

	/**
	 * How long a recovery may take after the network works again. A pool that is about to
	 * connect first waits for the time-out of that attempt, and then once more for the
	 * next attempt.
	 */
	private static final Duration RECOVERY = Duration.ofSeconds(30);

	private static final Duration OUTAGE = Duration.ofSeconds(30);

	private static final String HEALED = "The network works again";

	@Test
	final void lostReplyToAnAttemptIsNotContentionAndLeavesNothingBehind() {
		ProxiedNode proxied = proxiedNode((settings) -> settings.renewalLeaseTime(longLease()));
		List<LockRequest> tried = atEachStep(proxied, (request) -> request.withWaitTime(Duration.ZERO),
				(requests, step) -> {
					proxied.loseReply(step);
					List<LockHandle> handles = attempt(proxied, requests);
					boolean last = proxied.isLossPending();
					proxied.heal();
					handles.forEach((handle) -> get(handle.closeAsync()));
					return last;
				});
		assertFree(node(), tried);
	}

	@Test
	final void lostReplyToARenewalLeavesAtMostOneOwner() {
		ProxiedNode proxied = proxiedNode((settings) -> settings);
		LockTemplate other = node();
		List<LockRequest> tried = atEachStep(proxied, (request) -> request.withLeaseTime(longLease()),
				(requests, step) -> {
					List<LockHandle> handles = acquire(proxied.template(), requests);
					proxied.loseReply(step);
					extend(handles);
					boolean last = proxied.isLossPending();
					proxied.heal();
					for (int i = 0; i < handles.size(); i++) {
						assertOneOwner(handles.get(i), requests.get(i), other);
					}
					connect(proxied);
					handles.forEach((handle) -> get(handle.closeAsync()));
					return last;
				});
		assertFree(other, tried);
	}

	@Test
	final void lostReplyToAReleaseLeavesNothingBehind() {
		ProxiedNode proxied = proxiedNode((settings) -> settings);
		List<LockRequest> tried = atEachStep(proxied, (request) -> request.withLeaseTime(longLease()),
				(requests, step) -> {
					List<LockHandle> handles = acquire(proxied.template(), requests);
					proxied.loseReply(step);
					List<CompletableFuture<@Nullable Void>> closing = handles.stream()
						.map(LockHandle::closeAsync)
						.toList();
					closing.forEach(NetworkContract::get);
					boolean last = proxied.isLossPending();
					proxied.heal();
					return last;
				});
		assertFree(node(), tried);
	}

	/**
	 * Repeat an exchange with the backend for all lock types, and lose another reply of
	 * it each time.
	 * @param change sets the times of the requests
	 * @param exchange makes the exchange with the proxy connected, for requests with keys
	 * of their own, and loses the reply to the given step; returns {@code true} if there
	 * is no such step any more
	 * @return all requests
	 */
	private List<LockRequest> atEachStep(ProxiedNode proxied, UnaryOperator<LockRequest> change,
			BiPredicate<List<LockRequest>, Integer> exchange) {
		List<LockRequest> tried = new ArrayList<>();
		for (List<LockType> types : typesTogether()) {
			boolean last = false;
			for (int step = 0; step < mostSteps(types) && !last; step++) {
				List<LockRequest> requests = requests(types, step).map(change).toList();
				tried.addAll(requests);
				connect(proxied);
				last = exchange.test(requests, step);
			}
		}
		return tried;
	}

	@Test
	final void lostReplyToAWaiterLeavesNoPlaceInTheQueue() {
		ProxiedNode proxied = proxiedNode((settings) -> settings.renewalLeaseTime(longLease()));
		LockTemplate other = node();
		List<LockRequest> tried = new ArrayList<>();
		for (LockType type : THOROUGH ? types() : typesWithWaiters()) {
			for (int step = 0; step < mostSteps(List.of(type)); step++) {
				LockRequest request = request(type, step).withWaitTime(PATIENCE);
				tried.add(request);
				connect(proxied);
				LockHandle holder = get(other.acquireAsync(request));
				proxied.loseReply(step);
				CompletableFuture<LockHandle> waiting = proxied.template().acquireAsync(request);
				boolean last = !isLostWithin(proxied, Duration.ofMillis(400));
				proxied.heal();
				get(holder.closeAsync());
				assertEnded(waiting);
				if (last) {
					break;
				}
			}
		}
		assertFree(other, tried);
	}

	@Test
	final void silentNetworkIsAnOutageUntilItWorksAgain() {
		ProxiedNode proxied = proxiedNode((settings) -> settings
			.renewalLeaseTime(atLeastShortest(Duration.ofMillis(COMMAND_TIMEOUT.toMillis()))));
		connect(proxied);
		LockHandle held = get(proxied.template().acquireAsync(request()));
		AtomicReference<@Nullable LockLostException> loss = new AtomicReference<>();
		held.onLost(loss::set);
		proxied.network(TcpProxy::blackHole);
		CompletableFuture<LockHandle> patient = proxied.template()
			.acquireAsync(LockRequest.of(key() + "patient").withWaitTime(PATIENCE.multipliedBy(10)));
		List<LockRequest> tried = assertUnavailable(proxied.template(), longLeases("silent"));
		assertThat(outcome(patient)).as("the provider is known to be down")
			.isInstanceOf(LockUnavailableException.class);
		Patience.await("the loss is reported").until(() -> loss.get() != null);
		proxied.heal();
		awaitRecovery(proxied.template());
		held.close();
		LockTemplate other = node();
		assertFree(other, tried);
		assertFree(other, List.of(request()));
	}

	@Test
	@NeedsServerAlone
	final void silenceUnderLoadIsToldOnceAndHoldsNoCallsBack() {
		failUnderLoad(TcpProxy::blackHole, "");
	}

	@Test
	@NeedsServerAlone
	final void refusalUnderLoadIsToldOnceAndHoldsNoCallsBack() {
		failUnderLoad((proxy) -> {
			proxy.refuse();
			proxy.cut();
		}, "refused");
	}

	private void failUnderLoad(Consumer<TcpProxy> fault, String cause) {
		Assumptions.assumeTrue(THOROUGH, "skipped because it takes a minute; run it with -Dlock.kit.faults=long");
		try (SteadyCalls calls = new SteadyCalls()) {
			ProxiedNode proxied = proxiedNode((settings) -> settings.listener(calls));
			connect(proxied);
			calls.start(proxied.template(), key(), OUTAGE);
			Patience.await().until(() -> calls.isGrantedSince(0));
			int before = Thread.getAllStackTraces().size();
			Duration back;
			String log;
			try (StandardError error = new StandardError()) {
				long begun = System.nanoTime();
				proxied.network(fault);
				Patience.await("the outage").until(() -> calls.outages() == 1);
				Patience.await("the calls that began before it have ended")
					.until(() -> calls.waiting() < SteadyCalls.EACH_SECOND);
				LockSupport.parkNanos(begun + OUTAGE.toNanos() - System.nanoTime());
				long healed = System.nanoTime();
				logger.info(HEALED);
				proxied.heal();
				Patience.await("locking works again").until(() -> calls.isGrantedSince(healed));
				back = Duration.ofNanos(System.nanoTime() - healed);
				Patience.await("the end of the outage").until(() -> calls.recoveries() == 1);
				calls.stop();
				Patience.await("all calls have ended").until(() -> calls.waiting() == 0);
				log = error.text();
			}
			List<String> told = log.lines().filter((line) -> line.contains("Lock provider ")).toList();
			logger.info("Back {} ms after the fault: {}. {}", back.toMillis(), calls, told);
			assertThat(back).isLessThan(source().faults().recovery());
			assertThat(calls.outages()).isEqualTo(1);
			assertThat(calls.unexpected()).isNull();
			assertThat(calls.mostWaiting()).as("calls that wait at the same time")
				.isLessThan((int) OUTAGE.toSeconds() * SteadyCalls.EACH_SECOND / 2);
			// a log may be elsewhere
			if (log.contains(HEALED)) {
				assertThat(told).satisfiesExactly((line) -> assertThat(line).contains("WARN", " is down", cause),
						(line) -> assertThat(line).contains("INFO", " answers again"));
			}
			Patience.await("the threads that ended them are gone")
				.until(() -> Thread.getAllStackTraces().size() - before < SteadyCalls.EACH_SECOND);
		}
	}

	@Test
	final void requestThatArrivesAfterItsTimeoutLeavesNothingBehind() {
		Assumptions.assumeTrue(THOROUGH || source().faults().suspend() == null,
				"skipped because StallContract also makes requests late; run it with -Dlock.kit.faults=long");
		ProxiedNode proxied = proxiedNode((settings) -> settings);
		connect(proxied);
		proxied.network(TcpProxy::hold);
		List<LockRequest> tried = assertUnavailable(proxied.template(), longLeases("late"));
		proxied.heal();
		awaitRecovery(proxied.template());
		assertFree(node(), tried);
	}

	@Test
	final void silentConnectionsAreReplaced() {
		ProxiedNode proxied = proxiedNode((settings) -> settings);
		connect(proxied);
		proxied.network((proxy) -> {
			for (ProxyConnection connection : proxy.connections()) {
				connection.drop(Direction.REQUESTS);
				connection.drop(Direction.REPLIES);
			}
		});
		List<LockRequest> tried = longLeases("silent-connection");
		List<CompletableFuture<Optional<LockHandle>>> calls = tried.stream()
			.map((request) -> proxied.template().tryAcquireAsync(request.withWaitTime(Duration.ZERO)))
			.toList();
		assertThat(calls).extracting(NetworkContract::outcome)
			.allSatisfy((end) -> assertThat(end).isInstanceOfAny(LockUnavailableException.class, Optional.class));
		// calls succeed for which a pool has opened a new connection
		calls.stream()
			.filter((call) -> !call.isCompletedExceptionally())
			.forEach((call) -> get(call.join().orElseThrow().closeAsync()));
		awaitRecovery(proxied.template());
		assertFree(node(), tried);
	}

	@Test
	final void exclusionHoldsUnderRandomNetworkFaults() throws Exception {
		long seed = KitSeed.next();
		List<ProxiedNode> nodes = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			nodes.add(proxiedNode((settings) -> settings.renewalLeaseTime(atLeastShortest(Duration.ofMillis(800)))
				.pollInterval(Duration.ofMillis(50))));
		}
		// HikariCP 7 never connects again if its first connection ever is cut while it is
		// set up
		nodes.forEach(this::connect);
		RandomCuts cuts = new RandomCuts(nodes, request(), seed);
		List<RandomCuts.Hold> holds = cuts.run(Duration.ofSeconds(THOROUGH ? 120 : 3));
		assertThat(holds).isNotEmpty();
		if (source().faults().endsWithConnection()) {
			// when a connection is cut, the lock may end before its holder has begun
			assertThat(RandomCuts.tokensOlderThanTheirCalls(holds)).as("tokens that do not rise, seed %s", seed)
				.isEmpty();
		}
		else {
			assertThat(RandomCuts.overlaps(holds)).as("holders at the same time, seed %s", seed).isEmpty();
			assertThat(RandomCuts.tokensThatDoNotRise(holds)).as("tokens that do not rise, seed %s", seed).isEmpty();
		}
		nodes.forEach(ProxiedNode::heal);
		nodes.forEach((node) -> awaitRecovery(node.template()));
		assertFree(node(), List.of(request()));
	}

	/**
	 * Return groups of lock types. The types of a group share one lost reply, because
	 * some clients take long to connect again after each loss.
	 */
	private List<List<LockType>> typesTogether() {
		List<LockType> types = types();
		return THOROUGH ? types.stream().map(List::of).toList()
				: Stream.of(types.subList(0, 1), types.subList(1, types.size()))
					.filter((each) -> !each.isEmpty())
					.toList();
	}

	/**
	 * Return how many replies are lost, one at a time. A few are enough: lock types
	 * differ in their scripts and statements, but hardly in how these are sent.
	 */
	private static int mostSteps(List<LockType> types) {
		if (THOROUGH) {
			return 12;
		}
		return types.contains(LockType.EXCLUSIVE) ? 3 : 1;
	}

	private Stream<LockRequest> requests(List<LockType> types, int step) {
		return types.stream().map((type) -> request(type, step));
	}

	private static List<LockHandle> acquire(LockTemplate node, List<LockRequest> requests) {
		List<CompletableFuture<LockHandle>> calls = requests.stream().map(node::acquireAsync).toList();
		return calls.stream().map(NetworkContract::get).toList();
	}

	/**
	 * Return a request for each lock type with a lease so long that anything left behind
	 * is noticed.
	 */
	final List<LockRequest> longLeases(String suffix) {
		return types().stream().map((type) -> request(type, suffix).withLeaseTime(longLease())).toList();
	}

	/**
	 * Make sure that the client is connected and the server knows its scripts, so that
	 * the next reply is one to the call under test.
	 */
	private void connect(ProxiedNode proxied) {
		awaitRecovery(proxied.template());
	}

	private void awaitRecovery(LockTemplate node) {
		Patience.await("locking works again")
			.atMost(RECOVERY)
			.ignoreExceptionsInstanceOf(LockException.class)
			.until(() -> {
				node.acquire(LockRequest.of(key() + "works").withWaitTime(Duration.ofSeconds(2))).close();
				return true;
			});
	}

	/**
	 * Try to acquire several locks that are free.
	 * @return the handles of the acquired locks; the other attempts failed as an outage
	 */
	private static List<LockHandle> attempt(ProxiedNode proxied, List<LockRequest> requests) {
		List<CompletableFuture<Optional<LockHandle>>> calls = requests.stream()
			.map(proxied.template()::tryAcquireAsync)
			.toList();
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < calls.size(); i++) {
			LockRequest request = requests.get(i);
			try {
				Optional<LockHandle> handle = calls.get(i).orTimeout(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS).join();
				assertThat(handle).as("%s is free, so a network failure must not be reported as contention", request)
					.isPresent();
				handles.add(handle.get());
			}
			catch (CompletionException ex) {
				assertThat(ex.getCause()).as("%s", request).isInstanceOf(LockUnavailableException.class);
			}
		}
		return handles;
	}

	private void extend(List<LockHandle> handles) {
		// a lease that is not bound to a connection survives a lost reply
		Class<?> failure = isCapableOf(LockCapability.LOCK_DELAY) ? LockUnavailableException.class
				: LockException.class;
		Map<LockHandle, CompletableFuture<?>> extensions = new LinkedHashMap<>();
		handles.forEach((handle) -> extensions.put(handle, handle.extendAsync(longLease())));
		extensions.forEach((handle, extension) -> {
			try {
				get(extension);
			}
			catch (CompletionException ex) {
				// on a busy machine its time may have ended meanwhile
				assertThat(ex.getCause()).isInstanceOf(handle.isValid() ? failure : LockException.class);
			}
		});
	}

	private void assertOneOwner(LockHandle handle, LockRequest request, LockTemplate other) {
		if (handle.isValid() && request.type() != LockType.READ && other.tryAcquire(request).isPresent()) {
			if (source().faults().endsWithConnection()) {
				// on a busy machine the holder has yet to notice what the server has
				Patience.await("the loss of %s".formatted(request)).until(() -> !handle.isValid());
			}
			assertThat(handle.isValid()).as("%s has two owners", request).isFalse();
		}
	}

	private static boolean isLostWithin(ProxiedNode proxied, Duration time) {
		long end = System.nanoTime() + time.toNanos();
		while (proxied.isLossPending()) {
			if (System.nanoTime() - end >= 0) {
				return false;
			}
			Thread.onSpinWait();
		}
		return true;
	}

	/**
	 * Check that a waiter acquires the lock or is told that the backend failed.
	 */
	private static void assertEnded(CompletableFuture<LockHandle> waiting) {
		try {
			get(waiting.orTimeout(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS)).close();
		}
		catch (CompletionException ex) {
			assertThat(ex.getCause()).isInstanceOf(LockUnavailableException.class);
		}
	}

	/**
	 * Try to acquire each lock, with and without a wait time, and check that each call
	 * soon ends with {@link LockUnavailableException}.
	 * @return all requests that were made
	 */
	static List<LockRequest> assertUnavailable(LockTemplate node, List<LockRequest> requests) {
		List<CompletableFuture<?>> calls = new ArrayList<>();
		List<LockRequest> tried = new ArrayList<>(requests);
		for (LockRequest request : requests) {
			calls.add(node.tryAcquireAsync(request.withWaitTime(Duration.ZERO)));
			// a key of its own, or it would stand in line until the first call ends
			LockRequest another = request.withKey(request.key() + "waiting");
			calls.add(node.acquireAsync(another.withWaitTime(Duration.ofMillis(500))));
			tried.add(another);
		}
		assertThat(calls).extracting(NetworkContract::outcome)
			.allSatisfy((outcome) -> assertThat(outcome).isInstanceOf(LockUnavailableException.class));
		return tried;
	}

	/**
	 * Return the result or the failure of a call. It must end within its wait time and a
	 * command time-out; further time is allowed for a slow machine.
	 */
	private static Object outcome(CompletableFuture<?> call) {
		try {
			return call.get(COMMAND_TIMEOUT.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			return "the call did not end within %s and %s for a slow machine".formatted(COMMAND_TIMEOUT, PATIENCE);
		}
		catch (Exception ex) {
			Throwable cause = ex.getCause();
			return (cause != null) ? cause : ex;
		}
	}

}
