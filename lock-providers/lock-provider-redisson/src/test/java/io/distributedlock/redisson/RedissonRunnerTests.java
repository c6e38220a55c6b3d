package io.distributedlock.redisson;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.api.listener.MessageListener;
import org.redisson.api.listener.StatusListener;
import org.redisson.client.RedisTimeoutException;
import org.redisson.misc.CompletableFutureWrapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Subscriptions that fail once.
 */
class RedissonRunnerTests extends OnOneServer {

	private final AtomicInteger failures = new AtomicInteger();

	@Test
	void channelThatIsHeardAtTheSecondAttemptTellsEachMessageOnce() {
		AtomicInteger told = new AtomicInteger();
		try (RedissonRunner runner = failingOnce((listener) -> listener instanceof StatusListener)) {
			assertThatCode(() -> get(hear(runner, told))).hasRootCauseInstanceOf(RedisTimeoutException.class);
			get(hear(runner, told));
			assertThat(server.command("PUBLISH", "own", "message")).isEqualTo(1L);
			Patience.await().until(() -> told.get() > 0);
			assertThat(this.client.getTopic("own").countListeners()).as("one, and one for the status").isEqualTo(2);
			assertThat(told).hasValue(1);
		}
	}

	@Test
	void subscriptionThatHasFailedIsTriedAgain() {
		AtomicInteger told = new AtomicInteger();
		try (RedissonRunner runner = failingOnce((listener) -> listener instanceof MessageListener)) {
			ReleaseSignal.Subscription subscription = runner.listenTo("others", told::incrementAndGet);
			Patience.await("the second attempt").until(() -> server.command("PUBLISH", "others", "0").equals(1L));
			Patience.await("the release is heard").until(() -> told.get() > 1);
			subscription.close();
			Patience.await().until(() -> List.of().equals(server.command("PUBSUB", "CHANNELS", "others")));
			assertThat(runner.freeChannels()).isEqualTo(RedissonRunner.MAX_CHANNELS);
		}
		assertThat(this.failures).hasValue(1);
	}

	private static CompletionStage<?> hear(RedissonRunner runner, AtomicInteger told) {
		return runner.hear("own", (message) -> told.incrementAndGet(), () -> {
		});
	}

	/**
	 * Return releases over a client that fails to add the first listener of a kind.
	 */
	private RedissonRunner failingOnce(Predicate<Object> kind) {
		RedissonClient failing = (RedissonClient) proxy(RedissonClient.class, this.client, kind);
		return new RedissonRunner(new RedissonServer(failing));
	}

	private Object proxy(Class<?> type, Object target, Predicate<Object> kind) {
		return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
			if (method.getName().equals("addListenerAsync") && kind.test(arguments[arguments.length - 1])
					&& this.failures.compareAndSet(0, 1)) {
				return new CompletableFutureWrapper<>(new RedisTimeoutException("no answer"));
			}
			try {
				Object result = method.invoke(target, arguments);
				return (method.getReturnType() == RTopic.class) ? proxy(RTopic.class, result, kind) : result;
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		});
	}

}
