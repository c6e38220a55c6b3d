package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
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
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A network that loses replies and connections, or goes silent. Cases that lose one reply
 * go from step to step of what they do: the first reply, the second, until nothing is
 * left to lose.
 */
abstract class NetworkContract extends KeyContract {

	/**
	 * What a recovery may take once the network works. A pool of connections that is in
	 * the midst of a try waits for its time-out, and then for as long again.
	 */
	private static final Duration RECOVERY = Duration.ofSeconds(30);

	@Test
	final void lostReplyToAnAttemptIsNoContentionAndLeavesNothing() {
		FarNode far = farNode((settings) -> settings.renewalLeaseTime(longLease()));
		List<LockRequest> tried = new ArrayList<>();
		for (List<LockType> types : typesTogether()) {
			for (int step = 0; step < mostSteps(types); step++) {
				List<LockRequest> requests = requests(types, step).map((request) -> request.withWaitTime(Duration.ZERO))
					.toList();
				tried.addAll(requests);
				connect(far);
				far.loseReply(step);
				List<LockHandle> handles = attempt(far, requests);
				boolean last = far.isLossPending();
				far.heal();
				handles.forEach((handle) -> get(handle.closeAsync()));
				if (last) {
					break;
				}
			}
		}
		assertFree(node(), tried);
	}

	@Test
	final void lostReplyToARenewalNeitherLosesNorDoublesTheLock() {
		FarNode far = farNode((settings) -> settings);
		LockTemplate other = node();
		List<LockRequest> tried = new ArrayList<>();
		for (List<LockType> types : typesTogether()) {
			for (int step = 0; step < mostSteps(types); step++) {
				List<LockRequest> requests = requests(types, step).map((request) -> request.withLeaseTime(longLease()))
					.toList();
				tried.addAll(requests);
				connect(far);
				List<LockHandle> handles = acquire(far.template(), requests);
				far.loseReply(step);
				extend(handles);
				boolean last = far.isLossPending();
				far.heal();
				for (int i = 0; i < handles.size(); i++) {
					assertOneOwner(handles.get(i), requests.get(i), other);
				}
				connect(far);
				handles.forEach((handle) -> get(handle.closeAsync()));
				if (last) {
					break;
				}
			}
		}
		assertFree(other, tried);
	}

	@Test
	final void lostReplyToAWriterThatGoesOnReadingKeepsNoReaderOut() {
		if (!isCapableOf(LockCapability.SHARED)) {
			return;
		}
		FarNode far = farNode((settings) -> settings);
		LockTemplate other = node();
		List<LockRequest> tried = new ArrayList<>();
		for (int step = 0; step < mostSteps(List.of(LockType.WRITE)); step++) {
			LockRequest write = request(LockType.WRITE, step).withLeaseTime(longLease());
			LockRequest read = LockRequest.of(write.key()).withType(LockType.READ);
			tried.add(write);
			connect(far);
			LockHandle writer = far.template().acquire(write);
			LockHandle reader = far.template().acquire(read);
			far.loseReply(step);
			writer.close();
			boolean last = far.isLossPending();
			far.heal();
			LockHandle beside = get(other.acquireAsync(read.withWaitTime(PATIENCE)));
			connect(far);
			assertOneOwner(reader, write.withWaitTime(Duration.ZERO), other);
			reader.close();
			get(beside.closeAsync());
			if (last) {
				break;
			}
		}
		assertFree(other, tried);
	}

	@Test
	final void lostReplyToAReleaseLeavesNothing() {
		FarNode far = farNode((settings) -> settings);
		List<LockRequest> tried = new ArrayList<>();
		for (List<LockType> types : typesTogether()) {
			for (int step = 0; step < mostSteps(types); step++) {
				List<LockRequest> requests = requests(types, step).map((request) -> request.withLeaseTime(longLease()))
					.toList();
				tried.addAll(requests);
				connect(far);
				List<LockHandle> handles = acquire(far.template(), requests);
				far.loseReply(step);
				List<CompletableFuture<@Nullable Void>> closing = handles.stream().map(LockHandle::closeAsync).toList();
				closing.forEach(NetworkContract::get);
				boolean last = far.isLossPending();
				far.heal();
				if (last) {
					break;
				}
			}
		}
		assertFree(node(), tried);
	}

	@Test
	final void lostReplyToAWaiterLeavesNoPlaceBehind() {
		FarNode far = farNode((settings) -> settings.renewalLeaseTime(longLease()));
		LockTemplate other = node();
		List<LockRequest> tried = new ArrayList<>();
		for (LockType type : THOROUGH ? types() : typesWithWaiters()) {
			for (int step = 0; step < mostSteps(List.of(type)); step++) {
				LockRequest request = request(type, step).withWaitTime(PATIENCE);
				tried.add(request);
				connect(far);
				LockHandle holder = get(other.acquireAsync(request));
				far.loseReply(step);
				CompletableFuture<LockHandle> waiting = far.template().acquireAsync(request);
				boolean last = !isLostWithin(far, Duration.ofMillis(400));
				far.heal();
				get(holder.closeAsync());
				served(waiting);
				if (last) {
					break;
				}
			}
		}
		assertFree(other, tried);
	}

	@Test
	final void silenceIsAnOutageAndEndsWithIt() {
		FarNode far = farNode((settings) -> settings
			.renewalLeaseTime(atLeastShortest(Duration.ofMillis(COMMAND_TIMEOUT.toMillis()))));
		connect(far);
		LockHandle held = get(far.template().acquireAsync(request()));
		AtomicReference<@Nullable LockLostException> loss = new AtomicReference<>();
		held.onLost(loss::set);
		far.network(TcpProxy::blackHole);
		List<LockRequest> tried = assertUnavailable(far.template(), longLeases("silent"));
		Awaitility.await("message of the loss").atMost(PATIENCE).until(() -> loss.get() != null);
		far.heal();
		awaitRecovery(far.template());
		held.close();
		LockTemplate other = node();
		assertFree(other, tried);
		assertFree(other, List.of(request()));
	}

	@Test
	final void requestThatArrivesAfterItsCallerGaveUpLeavesNothing() {
		Assumptions.assumeTrue(THOROUGH || source().faults().suspend() == null,
				"a server that is stopped reads late requests too: tried with -Dlock.kit.faults=long");
		FarNode far = farNode((settings) -> settings);
		connect(far);
		far.network(TcpProxy::hold);
		List<LockRequest> tried = assertUnavailable(far.template(), longLeases("late"));
		far.heal();
		awaitRecovery(far.template());
		assertFree(node(), tried);
	}

	@Test
	final void connectionsThatStaySilentAreReplaced() {
		FarNode far = farNode((settings) -> settings);
		connect(far);
		far.network((proxy) -> {
			for (ProxyConnection connection : proxy.connections()) {
				connection.drop(Direction.REQUESTS);
				connection.drop(Direction.REPLIES);
			}
		});
		List<LockRequest> tried = longLeases("muted");
		List<CompletableFuture<Optional<LockHandle>>> calls = tried.stream()
			.map((request) -> far.template().tryAcquireAsync(request.withWaitTime(Duration.ZERO)))
			.toList();
		assertThat(calls).extracting(NetworkContract::outcome)
			.allSatisfy((end) -> assertThat(end).isInstanceOfAny(LockUnavailableException.class, Optional.class));
		// a pool makes new connections for calls that it has no silent one for
		calls.stream()
			.filter((call) -> !call.isCompletedExceptionally())
			.forEach((call) -> get(call.join().orElseThrow().closeAsync()));
		awaitRecovery(far.template());
		assertFree(node(), tried);
	}

	@Test
	final void exclusionHoldsUnderRandomCuts() throws Exception {
		long seed = KitSeed.next();
		List<FarNode> nodes = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			nodes.add(farNode((settings) -> settings.renewalLeaseTime(atLeastShortest(Duration.ofMillis(800)))
				.pollInterval(Duration.ofMillis(50))));
		}
		RandomCuts cuts = new RandomCuts(nodes, request(), seed);
		List<RandomCuts.Hold> holds = cuts.run(Duration.ofSeconds(THOROUGH ? 120 : 3));
		assertThat(holds).isNotEmpty();
		if (source().faults().endsWithConnection()) {
			// the lock of one whose connection was cut may have ended before it began
			assertThat(RandomCuts.tokensOlderThanTheirCalls(holds)).as("tokens, seed %d", seed).isEmpty();
		}
		else {
			assertThat(RandomCuts.overlaps(holds)).as("holders at the same time, seed %d", seed).isEmpty();
			assertThat(RandomCuts.tokensThatDoNotRise(holds)).as("tokens, seed %d", seed).isEmpty();
		}
		nodes.forEach(FarNode::heal);
		nodes.forEach((node) -> awaitRecovery(node.template()));
		assertFree(node(), List.of(request()));
	}

	/**
	 * Return the kinds of locks that are tried with the same lost reply: with a client
	 * that takes its time to connect again each loss is dear.
	 */
	private List<List<LockType>> typesTogether() {
		List<LockType> types = types();
		return THOROUGH ? types.stream().map(List::of).toList()
				: Stream.of(types.subList(0, 1), types.subList(1, types.size()))
					.filter((each) -> !each.isEmpty())
					.toList();
	}

	/**
	 * Kinds differ in their scripts and statements, but hardly in how these are sent.
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
	 * Return a request of each kind that would be seen long after, if it left something.
	 */
	final List<LockRequest> longLeases(String suffix) {
		return types().stream().map((type) -> request(type, suffix).withLeaseTime(longLease())).toList();
	}

	/**
	 * Make sure that the client has its connection and the server what it needs to know:
	 * what is lost afterwards is lost in the middle.
	 */
	private void connect(FarNode far) {
		awaitRecovery(far.template());
	}

	private void awaitRecovery(LockTemplate node) {
		Awaitility.await("locking works").atMost(RECOVERY).ignoreExceptionsInstanceOf(LockException.class).until(() -> {
			node.acquire(LockRequest.of(key() + "works").withWaitTime(Duration.ofSeconds(2))).close();
			return true;
		});
	}

	/**
	 * Make an attempt at each of some locks that are free.
	 * @return the handles of those for which the backend could be asked
	 */
	private static List<LockHandle> attempt(FarNode far, List<LockRequest> requests) {
		List<CompletableFuture<Optional<LockHandle>>> calls = requests.stream()
			.map(far.template()::tryAcquireAsync)
			.toList();
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < calls.size(); i++) {
			LockRequest request = requests.get(i);
			try {
				Optional<LockHandle> handle = calls.get(i).orTimeout(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS).join();
				assertThat(handle).as("%s is free, so a failure of the network is no contention", request).isPresent();
				handles.add(handle.get());
			}
			catch (CompletionException ex) {
				assertThat(ex.getCause()).as("%s", request).isInstanceOf(LockUnavailableException.class);
			}
		}
		return handles;
	}

	private void extend(List<LockHandle> handles) {
		// a lease that lives on the server is not lost because a reply is
		Class<?> failure = isCapableOf(LockCapability.LOCK_DELAY) ? LockUnavailableException.class
				: LockException.class;
		List<CompletableFuture<?>> extensions = handles.stream()
			.<CompletableFuture<?>>map((handle) -> handle.extendAsync(longLease()))
			.toList();
		for (CompletableFuture<?> extension : extensions) {
			try {
				get(extension);
			}
			catch (CompletionException ex) {
				assertThat(ex.getCause()).isInstanceOf(failure);
			}
		}
	}

	private static void assertOneOwner(LockHandle handle, LockRequest request, LockTemplate other) {
		if (handle.isValid() && request.type() != LockType.READ) {
			Optional<LockHandle> second = other.tryAcquire(request);
			assertThat(second.isPresent() && handle.isValid()).as("%s has two owners", request).isFalse();
		}
	}

	private static boolean isLostWithin(FarNode far, Duration time) {
		long end = System.nanoTime() + time.toNanos();
		while (far.isLossPending()) {
			if (System.nanoTime() - end >= 0) {
				return false;
			}
			Thread.onSpinWait();
		}
		return true;
	}

	/**
	 * A waiter is served, or is told that the backend failed.
	 */
	private static void served(CompletableFuture<LockHandle> waiting) {
		try {
			get(waiting.orTimeout(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS)).close();
		}
		catch (CompletionException ex) {
			assertThat(ex.getCause()).isInstanceOf(LockUnavailableException.class);
		}
	}

	/**
	 * Ask for each lock, with and without a wait: all end soon, and say that the backend
	 * cannot be reached.
	 * @return what was asked for
	 */
	static List<LockRequest> assertUnavailable(LockTemplate node, List<LockRequest> requests) {
		List<CompletableFuture<?>> calls = new ArrayList<>();
		List<LockRequest> tried = new ArrayList<>(requests);
		for (LockRequest request : requests) {
			calls.add(node.tryAcquireAsync(request.withWaitTime(Duration.ZERO)));
			// a key of its own: behind the other one it would wait for that one's answer
			LockRequest another = request.withKey(request.key() + "waiting");
			calls.add(node.acquireAsync(another.withWaitTime(Duration.ofMillis(500))));
			tried.add(another);
		}
		assertThat(calls).extracting(NetworkContract::outcome)
			.allSatisfy((outcome) -> assertThat(outcome).isInstanceOf(LockUnavailableException.class));
		return tried;
	}

	/**
	 * Return how a call ended that must end within its wait time and a command time-out;
	 * the rest is for a slow machine.
	 */
	private static Object outcome(CompletableFuture<?> call) {
		try {
			return call.get(COMMAND_TIMEOUT.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			return "no end within %s and more".formatted(COMMAND_TIMEOUT);
		}
		catch (Exception ex) {
			Throwable cause = ex.getCause();
			return (cause != null) ? cause : ex;
		}
	}

}
