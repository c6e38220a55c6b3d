package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import javax.sql.DataSource;

import io.distributedlock.LockHandle;
import io.distributedlock.LockTemplate;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.EtcdTestServer;
import io.distributedlock.test.server.MemcachedTestServer;
import io.distributedlock.test.server.RedisTestServer;
import io.distributedlock.test.server.ServerProcess;
import org.apache.curator.test.TestingServer;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.MethodMetadata;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications exclude each other on every provider, with a real server and as little
 * configuration as possible.
 */
class EveryProviderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(autoConfigurations()))
		.withPropertyValues("spring.application.name=shop");

	@Test
	void jdbcOnTheDataSourceOfTheApplication() {
		for (String strategy : List.of("row", "version", "for-update")) {
			ApplicationContextRunner application = this.runner
				.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class));
			excludeEachOther("jdbc", application, "lock.jdbc.strategy=" + strategy,
					"spring.datasource.url=jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(strategy));
		}
	}

	@Test
	void jdbcOnASeparateDatabase() {
		excludeEachOther("jdbc", this.runner, "lock.jdbc.url=jdbc:h2:mem:own;DB_CLOSE_DELAY=-1",
				"lock.jdbc.username=sa");
	}

	@Test
	void ownJdbcProviderBesideTwoDataSources() {
		JdbcLockSettings settings = JdbcLockSettings.of(JdbcDialect.H2).withCommandTimeout(Patience.LIMIT);
		this.runner.withBean("one", DataSource.class, JdbcDataSource::new)
			.withBean("two", DataSource.class, JdbcDataSource::new)
			.withBean("jdbcLockProvider", LockProvider.class, () -> JdbcLocks.provider(new JdbcDataSource(), settings))
			.withPropertyValues("lock.provider=jdbc")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	/**
	 * ShedLock has providers, too, and teams call their beans after them.
	 */
	@Test
	void beansOfAnotherLibraryMayHaveSuchNames() {
		ApplicationContextRunner application = this.runner.withPropertyValues("lock.provider=jdbc",
				"lock.providers=redis,redisson", "lock.jdbc.url=jdbc:h2:mem:others", "lock.jdbc.username=sa");
		for (String name : List.of("jdbcLockProvider", "redisLockProvider", "lockDatabase")) {
			application.withBean(name, String.class, () -> "of another library").run((context) -> {
				assertThat(context).as(name).hasNotFailed();
				context.getBean(LockTemplate.class).acquire("k").close();
			});
		}
	}

	@Test
	void jdbcWithoutADatabaseIsExplained() {
		this.runner.withPropertyValues("lock.provider=jdbc").run((context) -> {
			FailureAnalysis analysis = new InvalidLockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("no DataSource");
			assertThat(analysis.getAction()).contains("lock.jdbc.url");
		});
	}

	@Test
	void jdbcStrategyThatTheDatabaseCannotDoIsExplained() {
		this.runner
			.withPropertyValues("lock.provider=jdbc", "lock.jdbc.url=jdbc:h2:mem:refused", "lock.jdbc.username=sa",
					"lock.jdbc.strategy=advisory")
			.run((context) -> {
				FailureAnalysis analysis = new InvalidLockSetupFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis).isNotNull();
				assertThat(analysis.getDescription()).contains("advisory on H2");
				assertThat(analysis.getAction()).contains("lock.jdbc.strategy");
			});
	}

	@Test
	void zookeeper() throws Exception {
		try (TestingServer server = new TestingServer(ServerProcess.freePort())) {
			excludeEachOther("zookeeper", this.runner, "lock.zookeeper.connect-string=" + server.getConnectString());
		}
	}

	@Test
	void etcd() {
		try (EtcdTestServer server = EtcdTestServer.run()) {
			excludeEachOther("etcd", this.runner, "lock.etcd.endpoints=" + server.url());
		}
	}

	@Test
	void memcached() {
		try (MemcachedTestServer server = MemcachedTestServer.run()) {
			for (String protocol : List.of("ascii", "binary")) {
				excludeEachOther("memcached", this.runner, "lock.memcached.servers=127.0.0.1:" + server.port(),
						"lock.memcached.protocol=" + protocol);
			}
		}
	}

	@Test
	void redlock() {
		List<RedisTestServer> servers = new ArrayList<>();
		try {
			for (int i = 0; i < 3; i++) {
				servers.add(RedisTestServer.run());
			}
			String nodes = String.join(",", servers.stream().map(RedisTestServer::url).toList());
			// the first answer comes over a new connection
			excludeEachOther("redlock", this.runner, "lock.redis.redlock.nodes=" + nodes,
					"lock.redis.redlock.node-timeout=5s");
		}
		finally {
			servers.forEach(RedisTestServer::close);
		}
	}

	@Test
	void everyProviderOnTheClassPathIsAvailable() {
		this.runner.run((context) -> {
			FailureAnalysis analysis = new InvalidLockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("redisson", "redis", "jdbc", "zookeeper", "etcd",
					"memcached");
		});
	}

	/**
	 * Spring Boot refuses a second bean with a name, and many an application has a class
	 * {@code DistributedLockTemplate} of its own.
	 */
	@Test
	void namesOfOurBeansAreNoneOfAnApplication() throws IOException {
		MetadataReaderFactory classes = new SimpleMetadataReaderFactory();
		List<String> names = new ArrayList<>();
		for (String each : ours().toList()) {
			AnnotationMetadata type = classes.getMetadataReader(each).getAnnotationMetadata();
			for (String member : type.getMemberClassNames()) {
				names.addAll(beans(classes.getMetadataReader(member).getAnnotationMetadata()));
			}
			names.addAll(beans(type));
		}
		assertThat(names).contains("distributedLockWorkExecutor", "distributedLockMeters")
			.allMatch((name) -> name.startsWith("distributedLock"))
			.noneMatch((name) -> name.matches(
					"distributedLock(Template|Executor|Client|Provider|Service|Manager|Factory|Registry|Handler|Listener|Support|Helper|Utils?|Aspect|Interceptor|Advisor|Config(uration)?|Properties)?"));
	}

	private static List<String> beans(AnnotationMetadata type) {
		return type.getAnnotatedMethods(Bean.class.getName()).stream().map(MethodMetadata::getMethodName).toList();
	}

	private static Stream<String> ours() {
		return StreamSupport
			.stream(ImportCandidates.load(AutoConfiguration.class, EveryProviderTests.class.getClassLoader())
				.spliterator(), false)
			.filter((name) -> name.startsWith("io.distributedlock."));
	}

	private static Class<?>[] autoConfigurations() {
		return ours().map((name) -> ClassUtils.resolveClassName(name, null))
			.filter((type) -> type == DistributedLockAutoConfiguration.class
					|| type.isAnnotationPresent(ConditionalOnLockProvider.class))
			.toArray(Class<?>[]::new);
	}

	private static void excludeEachOther(String provider, ApplicationContextRunner application, String... properties) {
		ApplicationContextRunner configured = application.withPropertyValues("lock.provider=" + provider)
			.withPropertyValues(properties);
		configured.run((first) -> configured.run((second) -> {
			LockTemplate one = first.getBean(LockTemplate.class);
			LockTemplate other = second.getBean(LockTemplate.class);
			try (LockHandle handle = one.acquire("k")) {
				assertThat(handle.provider()).isEqualTo(provider);
				assertThat(handle.key()).isEqualTo("shop:lock:k");
				assertThat(other.tryAcquire("k")).isEmpty();
			}
			other.acquire("k").close();
		}));
	}

}
