package io.distributedlock.engine;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.distributedlock.CallerContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CallerContextTests {

	private static final ThreadLocal<String> USER = new ThreadLocal<>();

	private static final LockRequest REQUEST = LockRequest.of("k").withLeaseTime(Duration.ofMinutes(1));

	private DefaultLockTemplate template = template(CallerContextTests::capture);

	private static DefaultLockTemplate template(CallerContext context) {
		return DefaultLockTemplate.builder().provider(new LocalLockProvider()).callerContext(context).build();
	}

	private static UnaryOperator<Runnable> capture() {
		String captured = USER.get();
		return (task) -> () -> {
			USER.set(captured);
			try {
				task.run();
			}
			finally {
				USER.remove();
			}
		};
	}

	/**
	 * Contexts of which none does what it should.
	 */
	static List<CallerContext> brokenContexts() {
		return List.of(() -> {
			throw new AssertionError("cannot capture");
		}, () -> null, () -> (task) -> null, () -> (task) -> () -> {
			// drops the task
		}, () -> (task) -> () -> {
			throw new IllegalStateException("cannot restore");
		}, () -> (task) -> () -> {
			task.run();
			task.run();
		}, () -> (task) -> () -> {
			task.run();
			throw new IllegalStateException("cannot clean up");
		});
	}

	@AfterEach
	void close() {
		USER.remove();
		this.template.close();
	}

	@Test
	void whatDependsOnAFutureSeesTheCaller() {
		LockHandle held = this.template.acquire(REQUEST);
		CompletableFuture<String> seen = as("anna", () -> this.template.acquireAsync(REQUEST).thenCompose((handle) -> {
			String user = USER.get();
			return handle.closeAsync().thenApply((closed) -> user);
		}));
		CompletableFuture<String> refused = as("ben",
				() -> this.template.tryAcquireAsync(REQUEST.withWaitTime(Duration.ofMillis(20)))
					.thenApply((handle) -> USER.get() + handle.isPresent()));
		assertThat(get(refused)).isEqualTo("benfalse");
		held.close();
		assertThat(get(seen)).isEqualTo("anna");
	}

	/**
	 * A pool makes a thread for one caller, and then runs code of others there.
	 */
	@Test
	void whatIsNotCapturedIsNotSeen() {
		InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
		ClassLoader classes = new URLClassLoader(new URL[0]);
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		Thread.currentThread().setContextClassLoader(classes);
		inherited.set("anna");
		try {
			assertThat(get(this.template.executeAsync(REQUEST,
					() -> CompletableFuture.completedFuture(inherited.get() + Thread.currentThread().getName()))))
				.startsWith("nulllock-callback");
			assertThat(get(this.template.executeAsync(REQUEST,
					() -> CompletableFuture.completedFuture(Thread.currentThread().getContextClassLoader()))))
				.isSameAs(classes);
		}
		finally {
			inherited.remove();
			Thread.currentThread().setContextClassLoader(before);
		}
	}

	@Test
	void asynchronousWorkSeesTheCaller() {
		assertThat(get(as("anna",
				() -> this.template.executeAsync(REQUEST, () -> CompletableFuture.completedFuture(USER.get())))))
			.isEqualTo("anna");
	}

	@Test
	void severalLocksSeeTheCaller() {
		assertThat(get(as("anna", () -> this.template.executeAsync(LockRequest.ofAll(List.of("a", "b", "c")),
				() -> CompletableFuture.completedFuture(USER.get())))))
			.isEqualTo("anna");
	}

	@Test
	void callbacksSeeWhoRegisteredThem() {
		CompletableFuture<String> lost = new CompletableFuture<>();
		CompletableFuture<String> expiring = new CompletableFuture<>();
		USER.set("anna");
		try (LockHandle handle = this.template.acquire(REQUEST)) {
			handle.onLost((loss) -> lost.complete(USER.get()));
			USER.set("ben");
			// longer than the lease: it is due at once
			handle.onExpiring(Duration.ofMinutes(2), () -> expiring.complete(USER.get()));
			assertThat(get(expiring)).isEqualTo("ben");
			this.template.close();
			assertThat(get(lost)).isEqualTo("anna");
		}
	}

	@ParameterizedTest
	@MethodSource("brokenContexts")
	void brokenContextCostsNoLock(CallerContext broken) {
		this.template.close();
		this.template = template(broken);
		int[] runs = new int[1];
		assertThat(get(this.template.executeAsync(REQUEST, () -> {
			runs[0]++;
			return CompletableFuture.completedFuture("done");
		}))).isEqualTo("done");
		assertThat(runs[0]).isEqualTo(1);
		assertThatThrownBy(() -> get(this.template.executeAsync(REQUEST, () -> {
			throw new IllegalArgumentException("the work fails");
		}))).hasRootCauseMessage("the work fails");
		assertThat(this.template.activity().held()).isEmpty();
	}

	private static <T> CompletableFuture<T> as(String user, Supplier<CompletableFuture<T>> call) {
		Executor thread = (task) -> new Thread(task, "caller").start();
		return CompletableFuture.supplyAsync(() -> {
			USER.set(user);
			return call.get();
		}, thread).join();
	}

	private static <T> T get(CompletableFuture<T> future) {
		return future.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
