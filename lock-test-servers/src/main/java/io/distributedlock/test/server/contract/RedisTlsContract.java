package io.distributedlock.test.server.contract;

import java.nio.file.Path;
import java.time.Duration;

import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import io.distributedlock.test.server.TestCertificate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of a provider on a Redis server with TLS, whose certificate the client must
 * trust, whatever the client.
 *
 * @since 0.1
 */
public abstract class RedisTlsContract {

	private static final String THIS_HOST = "ip:127.0.0.1";

	@TempDir
	private Path folder;

	/**
	 * For the sub-class that names the client.
	 */
	protected RedisTlsContract() {
	}

	/**
	 * Create a provider with a client of its own, without waiting for its connection.
	 * @param url the address, {@code rediss://}
	 * @param trusted the certificate that the client trusts, {@code null} if it trusts
	 * none but the JVM's
	 * @return the provider and its client
	 * @throws Exception if the certificate cannot be read
	 */
	protected abstract ProviderFactory.Node connect(String url, @Nullable Path trusted) throws Exception;

	@Test
	final void locksWorkWithATrustedCertificate() throws Exception {
		TestCertificate certificate = TestCertificate.create(this.folder, THIS_HOST);
		withLocks(certificate, certificate.certificate(), (server, template) -> {
			template.execute(LockRequest.of("k").withWaitTime(Duration.ofMinutes(1)),
					() -> assertThat(server.command("EXISTS", "k")).isEqualTo(1L));
			assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
		});
	}

	@Test
	final void certificateThatIsNotTrustedIsRefused() throws Exception {
		withLocks(TestCertificate.create(this.folder, THIS_HOST), null, RedisTlsContract::assertRefused);
	}

	@Test
	final void certificateOfAnotherHostIsRefused() throws Exception {
		TestCertificate certificate = TestCertificate.create(this.folder, "dns:another");
		withLocks(certificate, certificate.certificate(), RedisTlsContract::assertRefused);
	}

	private void withLocks(TestCertificate certificate, @Nullable Path trusted, Use use) throws Exception {
		int port = RedisTestServer.freePort();
		try (RedisTestServer server = RedisTestServer.runWithTls(port, certificate)) {
			ProviderFactory.Node node = connect("rediss://127.0.0.1:" + port, trusted);
			try (LockProvider provider = node.provider();
					DefaultLockTemplate template = DefaultLockTemplate.builder().provider(provider).build()) {
				use.of(server, template);
			}
			finally {
				node.client().close();
			}
		}
	}

	private static void assertRefused(RedisTestServer server, DefaultLockTemplate template) {
		Patience.await()
			.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> template.tryAcquire("k"))
				.withMessageContaining("TLS")
				.withMessageContaining("trusted"));
		assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
	}

	/**
	 * What is done with locks on a server.
	 */
	@FunctionalInterface
	private interface Use {

		void of(RedisTestServer server, DefaultLockTemplate template);

	}

}
