package io.distributedlock.autoconfigure.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestProxy;
import io.distributedlock.test.server.RedisTestSentinel;
import io.distributedlock.test.server.RedisTestServer;
import io.distributedlock.test.server.TestCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each set-up of the pages on Redis starts as it stands there, but for hosts, ports and
 * files. So does a service that looks like a single server.
 */
class RedisPageTests {

	/**
	 * A host with its port, which may be a property of its own.
	 */
	private static final Pattern ADDRESS = Pattern.compile("[\\w-]+\\.internal(:|\\n +port: )\\d+");

	@TempDir
	private Path folder;

	/**
	 * With the user of the page, without rights at the sentinels.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "redis", "redisson" })
	void sentinel(String provider) {
		try (RedisTestServer primary = RedisTestServer.run();
				RedisTestServer replica = RedisTestServer.runReplicaOf(primary);
				RedisTestSentinel first = RedisTestSentinel.run(primary);
				RedisTestSentinel second = RedisTestSentinel.run(primary)) {
			Patience.await("sentinels").until(() -> first.knowsAnother() && second.knowsAnother());
			allow(provider, provider.equals("redisson") ? " +info +wait" : "", primary, replica);
			assertLocksWork(provider,
					placed(yaml("redis", "Sentinel"), first.port(), second.port())
							+ "\nspring.data.redis.username: locker\nspring.data.redis.password: secret"
							+ "\nlock.key-prefix: shop:lock",
					primary, replica);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "redisson" })
	void cluster(String provider) {
		try (RedisTestCluster cluster = RedisTestCluster.run()) {
			int[] ports = cluster.servers().stream().mapToInt(RedisTestServer::port).toArray();
			assertLocksWork(provider, placed(yaml("redis", "Cluster"), ports),
					cluster.servers().toArray(RedisTestServer[]::new));
		}
	}

	@Test
	void primaryWithReplicasOfLettuce() {
		try (RedisTestServer primary = RedisTestServer.run();
				RedisTestServer replica = RedisTestServer.runReplicaOf(primary)) {
			assertLocksWork("redis", placed(yaml("redis", "A primary with replicas"), primary.port()), primary,
					replica);
		}
	}

	@Test
	void primaryWithReplicasOfRedisson() {
		try (RedisTestServer primary = RedisTestServer.run();
				RedisTestServer replica = RedisTestServer.runReplicaOf(primary)) {
			assertLocksWork("redisson",
					fileOfRedisson(placed(yaml("redisson", "A primary with replicas"), primary.port(), replica.port())),
					primary);
			assertThat(primary.commandCalls()).containsKey("wait");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "redisson" })
	void tls(String provider) {
		TestCertificate certificate = TestCertificate.create(this.folder, "ip:127.0.0.1");
		int port = RedisTestServer.freePort();
		try (RedisTestServer server = RedisTestServer.runWithTls(port, certificate)) {
			String yaml = yaml("redis", "TLS");
			assertThat(yaml).contains("/etc/ssl/redis.pem");
			assertLocksWork(provider,
					placed(yaml.replace("/etc/ssl/redis.pem", certificate.certificate().toString()), port), server);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "redisson" })
	void userWithTheRightsOfThePageInAnotherDatabase(String provider) {
		try (RedisTestServer server = RedisTestServer.run()) {
			allow(provider, " +select", server);
			assertLocksWork(provider, placed(yaml("redis", "Least rights"), server.port()), server);
			assertThat(String.valueOf(server.command("INFO", "keyspace"))).contains("db3:").doesNotContain("db0:");
		}
	}

	private static void allow(String provider, String more, RedisTestServer... servers) {
		String rights = block(provider, "Least rights", "```\n") + more;
		for (RedisTestServer each : servers) {
			assertThat(each.command(rights.strip().split("\\s+"))).isEqualTo("OK");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "redisson" })
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void unixSocket(String provider) {
		Path socket = this.folder.resolve("redis.sock");
		try (RedisTestServer server = RedisTestServer.run("--unixsocket", socket.toString())) {
			String yaml = yaml(provider, "Unix socket");
			assertThat(yaml).contains("/run/redis/redis.sock");
			String placed = yaml.replace("/run/redis/redis.sock", socket.toString());
			assertLocksWork(provider, provider.equals("redisson") ? fileOfRedisson(placed) : placed, server);
		}
	}

	/**
	 * With nothing but an address.
	 */
	@ParameterizedTest
	@CsvSource({ "redis, NOTHING", "redis, EVALSHA SCRIPT PUBLISH SUBSCRIBE", "redisson, NOTHING",
			"redisson, EVALSHA SCRIPT PUBLISH SUBSCRIBE" })
	void serviceThatLooksLikeASingleServer(String provider, String lacking) throws Exception {
		try (RedisTestCluster cluster = RedisTestCluster.run();
				RedisTestProxy proxy = RedisTestProxy.before(cluster, lacking.split(" ", -1))) {
			assertLocksWork(provider, "spring.data.redis.url: " + proxy.url() + "\nlock.fail-fast: true",
					cluster.servers().toArray(RedisTestServer[]::new));
		}
	}

	private static void assertLocksWork(String provider, String yaml, RedisTestServer... servers) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DistributedLockAutoConfiguration.class,
					RedissonLockAutoConfiguration.class, RedisLockAutoConfiguration.class))
			.withPropertyValues("lock.provider=" + provider)
			.withInitializer((context) -> load(context, yaml))
			.run((context) -> {
				LockRequest request = LockRequest.of("k").withWaitTime(Patience.LIMIT);
				try (LockHandle handle = context.getBean(LockTemplate.class).acquire(request)) {
					assertThat(Arrays.stream(servers).map((each) -> each.command("INFO", "keyspace")).toList())
						.anySatisfy((keys) -> assertThat(String.valueOf(keys)).contains("keys="));
					handle.ensureHeld();
				}
			});
	}

	private static void load(ConfigurableApplicationContext context, String yaml) {
		try {
			new YamlPropertySourceLoader().load("page", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
				.forEach(context.getEnvironment().getPropertySources()::addFirst);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Put the ports of servers of the test in place of the addresses, in the same order.
	 */
	private static String placed(String yaml, int... ports) {
		Iterator<Integer> next = IntStream.of(ports).iterator();
		String placed = ADDRESS.matcher(yaml)
			.replaceAll((address) -> Matcher.quoteReplacement("127.0.0.1" + address.group(1) + next.next()));
		assertThat(placed).doesNotContain(".internal");
		return placed;
	}

	private String fileOfRedisson(String yaml) {
		try {
			return "lock.redisson.config: file:" + Files.writeString(this.folder.resolve("redisson.yaml"), yaml);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String yaml(String provider, String heading) {
		return block(provider, heading, "```yaml\n");
	}

	/**
	 * Return the first block of a kind below a heading.
	 */
	private static String block(String provider, String heading, String begin) {
		try {
			String page = Files.readString(Path.of("..", "docs", "providers", provider + ".md"));
			String section = page.substring(page.indexOf("# " + heading + "\n"));
			String block = section.substring(section.indexOf("\n" + begin) + begin.length() + 1);
			return block.substring(0, block.indexOf("```"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
