package io.distributedlock.redisson;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that another object wraps, as a library for tracing does: it and all that it
 * returns have nothing but the interfaces of Redisson's API.
 */
class RedissonWrapperTests extends OnOneServer {

	private static final Duration LONG = Duration.ofMinutes(2);

	private RedissonLockProvider wrapped;

	@BeforeEach
	void wrap() {
		this.wrapped = new RedissonLockProvider((RedissonClient) wrapper(this.client));
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void everyLockTypeIsAcquiredRenewedAndReleased(LockType type) {
		Lease lease = get(this.wrapped.tryAcquire(new LeaseRequest("k", LONG, type)));
		Lease other = get(this.wrapped.tryAcquire(new LeaseRequest("other", LONG, type)));
		this.wrapped
			.renewAll(Stream.of(lease, other).map((each) -> new LeaseRenewal(each, Duration.ofHours(1))).toList())
			.forEach((term) -> assertThat(get(term)).isNotNull());
		LockType conflicting = (type == LockType.READ) ? LockType.WRITE : type;
		assertThat(get(this.provider.tryAcquire(new LeaseRequest("k", LONG, conflicting)))).isNull();
		assertThat(get(lease.release())).isTrue();
		assertThat(get(other.release())).isTrue();
	}

	@Test
	void codeByHandWakesItAndIsWokenByIt() throws Exception {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(this.wrapped)
			.pollInterval(Duration.ofMinutes(10))
			.build()) {
			LockHandle handle = template.acquire("both");
			RLock byHand = this.client.getLock(handle.key());
			CompletableFuture<Boolean> waitingByHand = CompletableFuture.supplyAsync(() -> {
				byHand.lock(60, TimeUnit.SECONDS);
				return true;
			}, (task) -> new Thread(task).start());
			awaitListener(handle.key());
			handle.close();
			assertThat(waitingByHand.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
			CompletableFuture<LockHandle> waiting = template
				.acquireAsync(LockRequest.of("both").withWaitTime(Duration.ofSeconds(60)));
			awaitListener(handle.key());
			byHand.forceUnlock();
			assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
	}

	private static void awaitListener(String key) {
		List<String> command = List.of("PUBSUB", "CHANNELS", "redisson_lock__channel:{" + key + "}");
		Patience.await()
			.during(Duration.ofMillis(300))
			.until(() -> !((List<?>) server.command(command.toArray(String[]::new))).isEmpty());
	}

	/**
	 * Return a proxy, which also wraps what its methods return.
	 */
	private static Object wrapper(Object wrapped) {
		Class<?>[] interfaces = Arrays.stream(wrapped.getClass().getInterfaces())
			.filter((type) -> type.getName().startsWith("org.redisson.api."))
			.toArray(Class<?>[]::new);
		if (interfaces.length == 0) {
			return wrapped;
		}
		return Proxy.newProxyInstance(RedissonClient.class.getClassLoader(), interfaces, (proxy, method, arguments) -> {
			try {
				Object result = method.invoke(wrapped, arguments);
				return (result != null && method.getReturnType().getName().startsWith("org.redisson.api.R"))
						? wrapper(result) : result;
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		});
	}

}
