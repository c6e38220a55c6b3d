package io.distributedlock.etcd;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.test.patience.Patience;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SharedLeasesTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	/**
	 * As where there is no memory for the threads of a client that connects now.
	 */
	@Test
	void clientThatThrowsOnceIsAskedAgain() {
		AtomicBoolean thrown = new AtomicBoolean();
		Lease leases = proxy(Lease.class, () -> CompletableFuture.completedFuture(new LeaseGrantResponse(
				io.etcd.jetcd.api.LeaseGrantResponse.newBuilder().setID(7).setTTL(LONG.toSeconds()).build())));
		Client client = proxy(Client.class, () -> {
			if (thrown.compareAndSet(false, true)) {
				throw new InternalError("unable to create native thread");
			}
			return leases;
		});
		try (EtcdCalls calls = new EtcdCalls(client, LONG)) {
			SharedLeases shared = new SharedLeases(calls);
			assertThatExceptionOfType(Throwable.class).isThrownBy(() -> shared.of(LONG).join())
				.withStackTraceContaining("native thread");
			assertThat(shared.of(LONG)).succeedsWithin(Patience.LIMIT).extracting(SharedLease::id).isEqualTo(7L);
		}
	}

	/**
	 * Return an object all of whose methods do the same.
	 */
	@SuppressWarnings("unchecked")
	private static <T> T proxy(Class<T> type, Answer answer) {
		return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> answer.get());
	}

	/**
	 * What a method of a proxy does.
	 */
	@FunctionalInterface
	private interface Answer {

		Object get();

	}

}
