package io.distributedlock.examples;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockHound;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ReturnTypesExampleTests extends OnEveryProvider {

	@BeforeAll
	static void watchEventLoops() {
		// threads of Redisson's own pool wait for their next task, which Netty would
		// forbid; and Redisson may meet another thread that hands a task to that pool
		BlockHound.builder()
			.loadIntegrations()
			.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "getTask")
			.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "addWorker")
			.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "getPoolSize")
			.allowBlockingCallsInside("java.util.concurrent.LinkedBlockingQueue", "offer")
			.install();
	}

	@Test
	void nothingBlocksAnEventLoop() {
		ConfigurableApplicationContext node = node(Mails.class, SlowMailServer.class);
		node.getBean(SlowMailServer.class).answer();
		Mails mails = node.getBean(Mails.class);
		for (int i = 0; i < 3; i++) {
			Mono<String> reactive = Mono.defer(() -> mails.sendReactively("g"));
			assertThat(reactive.subscribeOn(Schedulers.parallel()).block(Patience.LIMIT)).isEqualTo("accepted");
			Mono<String> future = Mono.fromFuture(() -> mails.send("g"));
			assertThat(future.subscribeOn(Schedulers.parallel()).block(Patience.LIMIT)).isEqualTo("accepted");
		}
	}

	@Test
	void futureIsLockedUntilItIsComplete() throws Exception {
		ConfigurableApplicationContext first = node(Mails.class, SlowMailServer.class);
		ConfigurableApplicationContext second = node();
		CompletableFuture<String> sent = first.getBean(Mails.class).send("a");
		Patience.await().untilAsserted(() -> assertThat(isFree(second, "a")).isFalse());
		first.getBean(SlowMailServer.class).answer();
		assertThat(sent.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("accepted");
		assertThat(isFree(second, "a")).isTrue();
	}

	@Test
	void monoIsLockedByEachSubscription() {
		ConfigurableApplicationContext first = node(Mails.class, SlowMailServer.class);
		ConfigurableApplicationContext second = node();
		Mono<String> sending = first.getBean(Mails.class).sendReactively("b");
		assertThat(isFree(second, "b")).as("before the subscription").isTrue();
		Disposable subscription = sending.subscribe();
		awaitRequest(first);
		assertThat(isFree(second, "b")).isFalse();
		subscription.dispose();
		Patience.await().untilAsserted(() -> assertThat(isFree(second, "b")).as("cancelled").isTrue());
		first.getBean(SlowMailServer.class).answer();
		assertThat(sending.subscribeOn(Schedulers.parallel()).block(Patience.LIMIT)).isEqualTo("accepted");
	}

	@Test
	void fluxIsLockedToItsEndAndTheChainReenters() {
		ConfigurableApplicationContext node = node(Mails.class, Outbox.class, SlowMailServer.class);
		node.getBean(SlowMailServer.class).answer();
		assertThat(node.getBean(Outbox.class).drain("c").collectList().block(Patience.LIMIT))
			.containsExactly("accepted 1", "accepted 2");
		assertThat(isFree(node, "c")).isTrue();
	}

	@Test
	void asynchronousMethodIsLockedOnItsOwnThread() {
		ConfigurableApplicationContext first = node(AsyncMails.class, SlowMailServer.class, Asynchronous.class);
		ConfigurableApplicationContext second = node();
		first.getBean(AsyncMails.class).sendLater("d");
		Patience.await().untilAsserted(() -> assertThat(isFree(second, "d")).isFalse());
		first.getBean(SlowMailServer.class).answer();
		Patience.await().untilAsserted(() -> assertThat(isFree(second, "d")).isTrue());
		assertThat(first.getBean(SlowMailServer.class).thread()).startsWith("task-");
	}

	@Test
	void lockAroundAnAsynchronousMethodIsHeldUntilItsFutureIsComplete() throws Exception {
		ConfigurableApplicationContext first = node(AsyncMails.class, MailQueue.class, SlowMailServer.class,
				Asynchronous.class);
		ConfigurableApplicationContext second = node();
		CompletableFuture<String> result = first.getBean(MailQueue.class).send("e");
		Patience.await().untilAsserted(() -> assertThat(isFree(second, "e")).isFalse());
		first.getBean(SlowMailServer.class).answer();
		assertThat(result.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("accepted");
		assertThat(isFree(second, "e")).isTrue();
	}

	@Test
	void otherChainHasToWait() {
		ConfigurableApplicationContext node = node(Mails.class, SlowMailServer.class);
		Mails mails = node.getBean(Mails.class);
		Disposable holder = mails.sendReactively("f").subscribe();
		awaitRequest(node);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> mails.sendReactively("f").block(Patience.LIMIT));
		holder.dispose();
	}

	/**
	 * Wait until a method runs that waits for its lock for a second only: who tries the
	 * lock until it is taken may hold it for longer.
	 */
	private static void awaitRequest(ConfigurableApplicationContext node) {
		Patience.await().until(() -> node.getBean(SlowMailServer.class).isAsked());
	}

	private static boolean isFree(ConfigurableApplicationContext node, String to) {
		return locks(node).tryExecute(LockRequest.of(to).withName("mail"), () -> {
		});
	}

	@EnableAsync
	static class Asynchronous {

	}

	static class SlowMailServer implements Mails.MailServer {

		private final CompletableFuture<String> answer = new CompletableFuture<>();

		private volatile String thread = "";

		private volatile boolean asked;

		void answer() {
			this.answer.complete("accepted");
		}

		@Override
		public CompletableFuture<String> send(String to) {
			this.thread = Thread.currentThread().getName();
			return this.answer.copy();
		}

		@Override
		public Mono<String> sendReactively(String to) {
			this.asked = true;
			return Mono.fromFuture(this.answer::copy);
		}

		String thread() {
			return this.thread;
		}

		boolean isAsked() {
			return this.asked;
		}

	}

}
