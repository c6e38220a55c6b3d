package io.distributedlock.examples;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockContext;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockHound;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ReturnTypesExampleTests extends OnEveryProvider {

	@BeforeAll
	static void watchEventLoops() {
		// threads of Redisson's own pool wait for their next task, which Netty would
		// forbid
		BlockHound.builder()
			.loadIntegrations()
			.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "getTask")
			.install();
	}

	@Test
	void nothingBlocksAnEventLoop() {
		Mails mails = node(Mails.class).getBean(Mails.class);
		for (int i = 0; i < 3; i++) {
			Mono<String> reactive = Mono.defer(() -> mails.sendReactively("g", Mono.just("accepted")));
			assertThat(reactive.subscribeOn(Schedulers.parallel()).block(Duration.ofSeconds(10))).isEqualTo("accepted");
			Mono<String> future = Mono.fromFuture(() -> mails.send("g", CompletableFuture.completedFuture("accepted")));
			assertThat(future.subscribeOn(Schedulers.parallel()).block(Duration.ofSeconds(10))).isEqualTo("accepted");
		}
	}

	@Test
	void futureIsLockedUntilItIsComplete() throws Exception {
		ConfigurableApplicationContext first = node(Mails.class);
		ConfigurableApplicationContext second = node(Mails.class);
		CompletableFuture<String> answer = new CompletableFuture<>();
		CompletableFuture<String> sent = first.getBean(Mails.class).send("a", answer);
		Awaitility.await().untilAsserted(() -> assertThat(isFree(second, "a")).isFalse());
		answer.complete("accepted");
		assertThat(sent.get(10, TimeUnit.SECONDS)).isEqualTo("accepted");
		assertThat(isFree(second, "a")).isTrue();
	}

	@Test
	void monoIsLockedByEachSubscription() {
		ConfigurableApplicationContext first = node(Mails.class);
		ConfigurableApplicationContext second = node(Mails.class);
		Sinks.One<String> answer = Sinks.one();
		Mono<String> sending = first.getBean(Mails.class).sendReactively("b", answer.asMono());
		assertThat(isFree(second, "b")).as("before the subscription").isTrue();
		Disposable subscription = sending.subscribe();
		Awaitility.await().untilAsserted(() -> assertThat(isFree(second, "b")).isFalse());
		subscription.dispose();
		Awaitility.await().untilAsserted(() -> assertThat(isFree(second, "b")).as("cancelled").isTrue());
		answer.tryEmitValue("accepted");
		assertThat(sending.subscribeOn(Schedulers.parallel()).block(Duration.ofSeconds(10))).isEqualTo("accepted");
	}

	@Test
	void fluxIsLockedToItsEndAndTheChainReenters() {
		ConfigurableApplicationContext node = node(Mails.class, Outbox.class);
		assertThat(node.getBean(Outbox.class).drain("c").collectList().block(Duration.ofSeconds(10)))
			.containsExactly("sent 1", "sent 2");
		assertThat(isFree(node, "c")).isTrue();
	}

	@Test
	void asynchronousMethodIsLockedOnItsOwnThread() throws Exception {
		ConfigurableApplicationContext first = node(AsyncMails.class);
		ConfigurableApplicationContext second = node(AsyncMails.class);
		AsyncMails mails = first.getBean(AsyncMails.class);
		CompletableFuture<Void> mayEnd = new CompletableFuture<>();
		mails.sendLater("d", mayEnd);
		Awaitility.await().untilAsserted(() -> assertThat(isFree(second, "d")).isFalse());
		mayEnd.complete(null);
		Awaitility.await().untilAsserted(() -> assertThat(isFree(second, "d")).isTrue());
		assertThat(mails.thread()).startsWith("task-");
	}

	@Test
	void lockAroundAnAsynchronousMethodIsHeldUntilItsFutureIsComplete() throws Exception {
		ConfigurableApplicationContext first = node(AsyncMails.class, LockedCaller.class);
		ConfigurableApplicationContext second = node(AsyncMails.class);
		CompletableFuture<Void> mayEnd = new CompletableFuture<>();
		CompletableFuture<String> result = first.getBean(LockedCaller.class).send("e", mayEnd);
		Awaitility.await().untilAsserted(() -> assertThat(isFree(second, "e")).isFalse());
		mayEnd.complete(null);
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("sent");
		assertThat(isFree(second, "e")).isTrue();
	}

	@Test
	void otherChainHasToWait() {
		ConfigurableApplicationContext node = node(Mails.class);
		Disposable holder = node.getBean(Mails.class).sendReactively("f", Mono.never()).subscribe();
		Awaitility.await().untilAsserted(() -> assertThat(isFree(node, "f")).isFalse());
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> node.getBean(Mails.class).sendReactively("f", Mono.just("x")).block());
		holder.dispose();
	}

	private static boolean isFree(ConfigurableApplicationContext node, String to) {
		return locks(node).tryExecute(LockRequest.of(to).withName("mail"), () -> {
		});
	}

	static class Mails {

		@DistributedLock(name = "mail", key = "#to")
		public CompletableFuture<String> send(String to, CompletableFuture<String> answer) {
			return answer.thenApply((text) -> text);
		}

		@DistributedLock(name = "mail", key = "#to", waitTime = "1s")
		public Mono<String> sendReactively(String to, Mono<String> answer) {
			return answer;
		}

		@DistributedLock(name = "mail", key = "#to")
		public Mono<String> sendOne(String to, int number) {
			return Mono.deferContextual((context) -> {
				context.get(LockContext.class).innermost().orElseThrow().ensureHeld();
				return Mono.just("sent " + number);
			});
		}

	}

	static class Outbox {

		private final Mails mails;

		Outbox(Mails mails) {
			this.mails = mails;
		}

		@DistributedLock(name = "mail", key = "#to")
		public Flux<String> drain(String to) {
			return Flux.just(1, 2).concatMap((number) -> this.mails.sendOne(to, number));
		}

	}

	@EnableAsync
	static class AsyncMails {

		private final AtomicReference<String> thread = new AtomicReference<>("");

		@Async
		@DistributedLock(name = "mail", key = "#to")
		public void sendLater(String to, CompletableFuture<Void> mayEnd) {
			this.thread.set(Thread.currentThread().getName());
			mayEnd.join();
		}

		@Async
		public CompletableFuture<String> sendUnlocked(CompletableFuture<Void> mayEnd) {
			mayEnd.join();
			return CompletableFuture.completedFuture("sent");
		}

		String thread() {
			return this.thread.get();
		}

	}

	static class LockedCaller {

		private final AsyncMails mails;

		LockedCaller(AsyncMails mails) {
			this.mails = mails;
		}

		@DistributedLock(name = "mail", key = "#to")
		public CompletableFuture<String> send(String to, CompletableFuture<Void> mayEnd) {
			return this.mails.sendUnlocked(mayEnd);
		}

	}

}
