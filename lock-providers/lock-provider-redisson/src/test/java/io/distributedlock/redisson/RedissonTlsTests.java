package io.distributedlock.redisson;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;

import javax.net.ssl.TrustManagerFactory;

import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.RedisTestServer;
import io.distributedlock.test.server.TestCertificate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A server that speaks TLS, and whom a client must trust.
 */
class RedissonTlsTests {

	@TempDir
	private Path folder;

	@Test
	void locksWorkWithACertificateThatIsTrusted() throws Exception {
		locked("ip:127.0.0.1", true, (server, template) -> {
			template.execute(LockRequest.of("k").withWaitTime(Duration.ofMinutes(1)),
					() -> assertThat(server.command("EXISTS", "k")).isEqualTo(1L));
			assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
		});
	}

	@ParameterizedTest
	@CsvSource({ "ip:127.0.0.1, false", "dns:another, true" })
	void certificateThatIsNotTrustedOrForAnotherHostIsRefused(String name, boolean trusted) throws Exception {
		locked(name, trusted, (server, template) -> {
			Awaitility.await()
				.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.tryAcquire("k"))
					.withMessageContaining("TLS")
					.withMessageContaining("trusted"));
			assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
		});
	}

	private void locked(String name, boolean trusted, Use use) throws Exception {
		TestCertificate certificate = TestCertificate.create(this.folder, name);
		int port = RedisTestServer.freePort();
		try (RedisTestServer server = RedisTestServer.runWithTls(port, certificate)) {
			Config config = Clients.config("rediss://127.0.0.1:" + port);
			config.setLazyInitialization(true);
			if (trusted) {
				config.setSslTrustManagerFactory(trust(certificate.certificate()));
			}
			RedissonClient client = Redisson.create(config);
			try (RedissonLockProvider provider = new RedissonLockProvider(client);
					DefaultLockTemplate template = DefaultLockTemplate.builder().provider(provider).build()) {
				use.of(server, template);
			}
			finally {
				client.shutdown();
			}
		}
	}

	private static TrustManagerFactory trust(Path certificate) throws Exception {
		KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
		store.load(null, null);
		try (InputStream in = Files.newInputStream(certificate)) {
			store.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(in));
		}
		TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		factory.init(store);
		return factory;
	}

	/**
	 * What is done with locks on a server.
	 */
	@FunctionalInterface
	private interface Use {

		void of(RedisTestServer server, DefaultLockTemplate template);

	}

}
