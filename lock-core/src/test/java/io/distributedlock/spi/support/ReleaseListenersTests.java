package io.distributedlock.spi.support;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReleaseListenersTests {

	private static final int ROUNDS = 20_000;

	private final List<String> left = new ArrayList<>();

	private final ReleaseListeners listeners = new ReleaseListeners(this.left::add);

	@Test
	void listenersOfAKeyAreTold() {
		AtomicInteger told = new AtomicInteger();
		AtomicInteger other = new AtomicInteger();
		this.listeners.add("k", told::incrementAndGet);
		this.listeners.add("k", told::incrementAndGet);
		this.listeners.add("l", other::incrementAndGet);
		this.listeners.tell("k");
		this.listeners.tell("nobody");
		assertThat(told).hasValue(2);
		assertThat(other).hasValue(0);
		this.listeners.tellAll();
		assertThat(told).hasValue(4);
		assertThat(other).hasValue(1);
	}

	@Test
	void sameTaskMayListenTwice() {
		AtomicInteger told = new AtomicInteger();
		Runnable onRelease = told::incrementAndGet;
		ReleaseSignal.Subscription first = this.listeners.add("k", onRelease);
		this.listeners.add("k", onRelease);
		first.close();
		this.listeners.tell("k");
		assertThat(told).hasValue(1);
	}

	@Test
	void lastListenerLeavesTheBackend() {
		ReleaseSignal.Subscription first = this.listeners.add("k", () -> {
		});
		ReleaseSignal.Subscription second = this.listeners.add("k", () -> {
		});
		first.close();
		first.close();
		assertThat(this.left).isEmpty();
		assertThat(this.listeners.keys()).isEqualTo(1);
		second.close();
		second.close();
		assertThat(this.left).containsExactly("k");
		assertThat(this.listeners.keys()).isZero();
	}

	@Test
	void listenerIsToldWhileItsSubscriptionIsAnswered() {
		AtomicInteger told = new AtomicInteger();
		this.listeners.add("k", told::incrementAndGet,
				() -> CompletableFuture.runAsync(() -> this.listeners.tell("k")).join());
		assertThat(told).hasValue(1);
	}

	@Test
	void actionsKnowWhichKeysHaveListeners() {
		List<String> seen = new ArrayList<>();
		this.listeners.add("k", () -> {
		});
		this.listeners.forEachKey(seen::add);
		this.listeners.ifNoneFor("k", () -> seen.add("none for k"));
		this.listeners.ifNoneFor("l", () -> seen.add("none for l"));
		assertThat(seen).containsExactly("k", "none for l");
		assertThat(this.listeners.keys()).isEqualTo(1);
	}

	@Test
	void listenerThatLeavesWhileItIsToldIsNotToldAgain() {
		List<ReleaseSignal.Subscription> own = new ArrayList<>();
		AtomicInteger told = new AtomicInteger();
		own.add(this.listeners.add("k", () -> {
			told.incrementAndGet();
			own.get(0).close();
		}));
		this.listeners.tell("k");
		this.listeners.tell("k");
		assertThat(told).hasValue(1);
		assertThat(this.left).containsExactly("k");
	}

	/**
	 * Some threads come and leave all the time. Whoever is there is subscribed, though
	 * the last of the others leaves at the same moment.
	 */
	@Test
	void listenerThatComesWhileTheLastOneLeavesIsSubscribed() throws Exception {
		AtomicBoolean subscribed = new AtomicBoolean();
		ReleaseListeners crowd = new ReleaseListeners((key) -> subscribed.set(false));
		inThreads(4, () -> {
			for (int i = 0; i < ROUNDS; i++) {
				ReleaseSignal.Subscription subscription = crowd.add("k", () -> {
				}, () -> subscribed.set(true));
				assertThat(subscribed).isTrue();
				subscription.close();
			}
		});
		assertThat(subscribed).isFalse();
		assertThat(crowd.keys()).isZero();
	}

	/**
	 * Listeners that stay are told each time, though others come and leave meanwhile.
	 */
	@Test
	void listenerIsToldWhileOthersComeAndLeave() throws Exception {
		AtomicInteger told = new AtomicInteger();
		ReleaseListeners crowd = new ReleaseListeners();
		ReleaseSignal.Subscription staying = crowd.add("k", told::incrementAndGet);
		CompletableFuture<Void> others = CompletableFuture.runAsync(() -> {
			for (int i = 0; i < ROUNDS; i++) {
				crowd.add("k", () -> {
				}).close();
			}
		});
		for (int i = 0; i < ROUNDS; i++) {
			crowd.tell("k");
		}
		others.get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(told).hasValue(ROUNDS);
		staying.close();
		crowd.tell("k");
		assertThat(told).hasValue(ROUNDS);
		assertThat(crowd.keys()).isZero();
	}

	private static void inThreads(int threads, Runnable task) throws Exception {
		CompletableFuture<?>[] running = IntStream.range(0, threads)
			.mapToObj((i) -> CompletableFuture.runAsync(task, (body) -> new Thread(body).start()))
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(running).get(Patience.SECONDS, TimeUnit.SECONDS);
	}

}
