package io.distributedlock.redis;

import java.nio.file.Path;
import java.time.Duration;

import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.RedisTestServer;
import io.distributedlock.test.server.TestCertificate;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SslOptions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A server that speaks TLS, and whom a client must trust.
 */
class RedisTlsTests {

	@TempDir
	private Path folder;

	@Test
	void locksWorkWithACertificateThatIsTrusted() {
		locked("ip:127.0.0.1", true, (server, template) -> {
			template.execute(LockRequest.of("k").withWaitTime(Duration.ofMinutes(1)),
					() -> assertThat(server.command("EXISTS", "k")).isEqualTo(1L));
			assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
		});
	}

	@ParameterizedTest
	@CsvSource({ "ip:127.0.0.1, false", "dns:another, true" })
	void certificateThatIsNotTrustedOrForAnotherHostIsRefused(String name, boolean trusted) {
		locked(name, trusted, (server, template) -> {
			Awaitility.await()
				.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.tryAcquire("k"))
					.withMessageContaining("TLS")
					.withMessageContaining("trusted"));
			assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
		});
	}

	private void locked(String name, boolean trusted, Use use) {
		TestCertificate certificate = TestCertificate.create(this.folder, name);
		int port = RedisTestServer.freePort();
		try (RedisTestServer server = RedisTestServer.runWithTls(port, certificate)) {
			RedisClient client = Clients.client("rediss://127.0.0.1:" + port);
			if (trusted) {
				client.setOptions(ClientOptions.builder()
					.sslOptions(SslOptions.builder()
						.jdkSslProvider()
						.trustManager(certificate.certificate().toFile())
						.build())
					.build());
			}
			try (RedisLockProvider provider = new RedisLockProvider(client, Duration.ofSeconds(3));
					DefaultLockTemplate template = DefaultLockTemplate.builder().provider(provider).build()) {
				use.of(server, template);
			}
			finally {
				Clients.shutdown(client);
			}
		}
	}

	/**
	 * What is done with locks on a server.
	 */
	@FunctionalInterface
	private interface Use {

		void of(RedisTestServer server, DefaultLockTemplate template);

	}

}
