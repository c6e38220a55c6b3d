package io.distributedlock.test.server;

import java.io.UncheckedIOException;

import io.distributedlock.test.network.TcpProxy;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RedisTestServerTests {

	private static String versionOfTheDistribution;

	/**
	 * It may have to be fetched, for which there is more time than for a test.
	 */
	@BeforeAll
	static void startThatOfTheDistribution() {
		System.setProperty(RedisProgram.PROPERTY, RedisProgram.DISTRIBUTION);
		try (RedisTestServer server = RedisTestServer.run()) {
			versionOfTheDistribution = server.version();
		}
		finally {
			System.clearProperty(RedisProgram.PROPERTY);
		}
	}

	@Test
	void countsCommandsAndIsEmptyAfterARestart() {
		try (RedisTestServer server = RedisTestServer.run()) {
			assertThat(server.command("SET", "a", "1")).isEqualTo("OK");
			assertThat(server.command("GET", "a")).isEqualTo("1");
			assertThat(server.commandCalls()).containsEntry("get", 1L);
			int port = server.port();
			server.kill();
			assertThat(server.isAlive()).isFalse();
			server.start();
			assertThat(server.port()).isEqualTo(port);
			assertThat(server.command("GET", "a")).isNull();
		}
	}

	@Test
	void systemPropertySelectsTheProgram() {
		try (RedisTestServer server = RedisTestServer.run()) {
			assertThat(server.version()).startsWith("6.2.");
		}
		assertThat(versionOfTheDistribution).doesNotStartWith("6.").matches("\\d+(\\.\\d+)+");
	}

	@Test
	void passwordIsRequired() {
		try (RedisTestServer server = RedisTestServer.runWithPassword("s3cret")) {
			assertThat(server.command("PING")).isEqualTo("PONG");
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> {
				try (RespConnection connection = new RespConnection(server.port())) {
					connection.send("PING");
				}
				catch (java.io.IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}).withMessageContaining("NOAUTH");
		}
	}

	@Test
	void closeEndsTheServer() {
		RedisTestServer server = RedisTestServer.run();
		server.close();
		assertThat(server.isAlive()).isFalse();
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> server.command("PING"));
	}

	@Test
	void proxyDropsRepliesUntilItHeals() throws Exception {
		try (RedisTestServer server = RedisTestServer.run(); TcpProxy proxy = new TcpProxy(server.port())) {
			try (RespConnection connection = new RespConnection(proxy.port())) {
				assertThat(connection.send("PING")).isEqualTo("PONG");
				proxy.dropReplies();
				assertThatExceptionOfType(java.net.SocketTimeoutException.class)
					.isThrownBy(() -> connection.send("SET", "lost", "reply"));
			}
			assertThat(server.command("GET", "lost")).as("the request has arrived").isEqualTo("reply");
			proxy.heal();
			try (RespConnection connection = new RespConnection(proxy.port())) {
				assertThat(connection.send("PING")).isEqualTo("PONG");
			}
		}
	}

}
