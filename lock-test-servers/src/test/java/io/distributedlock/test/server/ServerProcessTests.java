package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.test.patience.Patience;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLockTarget;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

@EnabledOnOs(OS.LINUX)
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Resources.SYSTEM_PROPERTIES, mode = ResourceAccessMode.READ, target = ResourceLockTarget.CHILDREN)
class ServerProcessTests {

	private static final Duration SOON = Duration.ofSeconds(40);

	/**
	 * Where the JVM says that it could not start a program.
	 */
	private static final Pattern FOLDER = Pattern.compile("\\(in directory \"(.*)\"\\)");

	/**
	 * The programs may have to be fetched, for which there is more time than for a test.
	 */
	@BeforeAll
	static void startForTheFirstTime() {
		servers().parallel().forEach((start) -> start.get().close());
	}

	static Stream<Supplier<ServerProcess>> servers() {
		return Stream.of(RedisTestServer::run, MemcachedTestServer::run, EtcdTestServer::run, MariaDbTestServer::run);
	}

	@ParameterizedTest
	@MethodSource("servers")
	void suspendedServerIsNotReadyAndIsRestartedAndClosed(Supplier<ServerProcess> start) {
		ServerProcess server = start.get();
		server.suspend();
		// the system accepts connections for it
		assertTimeoutPreemptively(SOON, () -> assertThat(server.isReady()).isFalse());
		server.restart();
		assertThat(server.isReady()).isTrue();
		server.suspend();
		assertTimeoutPreemptively(SOON, server::close);
		assertThat(server.isAlive()).isFalse();
	}

	@Test
	void childrenOfASuspendedServerEndWithIt() {
		Script server = new Script("trap '' TERM; sh -c \"trap '' TERM; sleep 60; sleep 60\"; sleep 60", () -> true);
		server.start();
		// a shell and the program that it has started
		Patience.await().until(() -> server.children().size() == 2);
		List<ProcessHandle> children = server.children();
		server.suspend();
		assertTimeoutPreemptively(SOON, server::close);
		assertThat(server.isAlive()).isFalse();
		Patience.await()
			// a zombie has no command any more
			.untilAsserted(() -> assertThat(children)
				.allSatisfy((child) -> assertThat(child.isAlive() && child.info().command().isPresent()).isFalse()));
	}

	@Test
	void serverThatAcceptsConnectionsAndSaysNothingFailsToStart() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			assertFailsToStart(new Script("sleep 60", () -> answers(silent.getLocalPort())));
		}
	}

	@Test
	void checkThatDoesNotReturnEndsWithTheLimitOfTheStart() {
		CountDownLatch never = new CountDownLatch(1);
		assertFailsToStart(new Script("sleep 60", () -> {
			try {
				never.await();
				return true;
			}
			catch (InterruptedException ex) {
				return false;
			}
		}));
	}

	@Test
	@ResourceLock(Resources.SYSTEM_PROPERTIES)
	void programThatIsNotThereIsNamedAndLeavesNoFolder() {
		System.setProperty("lock.test.memcached", "/no/such/memcached");
		try {
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(MemcachedTestServer::run)
				.withMessageContaining("/no/such/memcached")
				.satisfies((ex) -> assertThat(FOLDER.matcher(ex.getMessage()).results())
					.allSatisfy((found) -> assertThat(Path.of(found.group(1))).doesNotExist())
					.hasSize(1));
		}
		finally {
			System.clearProperty("lock.test.memcached");
		}
	}

	private static void assertFailsToStart(Script server) {
		assertTimeoutPreemptively(SOON,
				() -> assertThatExceptionOfType(ConditionTimeoutException.class)
					.isThrownBy(() -> server.start(Duration.ofSeconds(3)))
					.withMessageContaining("start of script, see " + server.folder().resolve("server.log")));
		assertThat(server.isAlive()).isFalse();
		server.close();
	}

	private static boolean answers(int port) {
		try (Socket socket = ServerProcess.connect(port)) {
			return socket.getInputStream().read() >= 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * A shell in place of a server.
	 */
	private static final class Script extends ServerProcess {

		private final String script;

		private final BooleanSupplier ready;

		Script(String script, BooleanSupplier ready) {
			super("script");
			this.script = script;
			this.ready = ready;
		}

		List<ProcessHandle> children() {
			return ProcessHandle.of(pid()).orElseThrow().descendants().toList();
		}

		@Override
		protected List<String> command() {
			return List.of("sh", "-c", this.script);
		}

		@Override
		protected boolean isReady() {
			return this.ready.getAsBoolean();
		}

	}

}
