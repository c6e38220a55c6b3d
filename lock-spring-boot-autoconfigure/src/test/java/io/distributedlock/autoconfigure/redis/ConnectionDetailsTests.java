package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.distributedlock.LockHandle;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.connection.ServerAddress;
import io.distributedlock.autoconfigure.redis.RedisTopology.Credentials;
import io.distributedlock.test.server.RedisTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A bean of connection details, as service connections make it, says where Redis is.
 */
class ConnectionDetailsTests {

	private static final RedisTopology PROPERTIES = RedisTopologies.of("host", "properties.shop", "password", "0ther",
			"timeout", "700ms", "client-name", "locks");

	@Test
	void withoutABeanThePropertiesCount() {
		assertThat(Boot4ConnectionDetails.find(new StaticListableBeanFactory(), PROPERTIES)).isNull();
	}

	@Test
	void singleServer() {
		RedisTopology topology = of(new Details() {
			@Override
			public Standalone getStandalone() {
				return Standalone.of("details.shop", 6380, 3);
			}
		});
		assertThat(topology)
			.isEqualTo(new RedisTopology(new RedisTopology.Single(new ServerAddress("details.shop", 6380)),
					new Credentials("shop", "s3cret"), 3, false, null, "locks", Duration.ofMillis(700), null));
	}

	@Test
	void cluster() {
		RedisTopology topology = of(new Details() {
			@Override
			public Cluster getCluster() {
				return () -> List.of(new Node("c1", 7000), new Node("c2", 7001));
			}
		});
		assertThat(topology.servers()).isEqualTo(
				new RedisTopology.Cluster(List.of(new ServerAddress("c1", 7000), new ServerAddress("c2", 7001))));
	}

	@Test
	void sentinels() {
		RedisTopology topology = of(new Details() {
			@Override
			public Sentinel getSentinel() {
				return new Watchers();
			}
		});
		assertThat(topology.servers()).isEqualTo(new RedisTopology.Sentinels("shop",
				List.of(new ServerAddress("s1", 26379)), new Credentials("watcher", "w0rd")));
		assertThat(topology.database()).isEqualTo(2);
		assertThat(topology.credentials()).isEqualTo(new Credentials("shop", "s3cret"));
	}

	@Test
	void bundleTurnsTlsOn() {
		SslBundle bundle = SslBundle.systemDefault();
		RedisTopology topology = of(new Details() {
			@Override
			public Standalone getStandalone() {
				return Standalone.of("details.shop", 6380);
			}

			@Override
			public SslBundle getSslBundle() {
				return bundle;
			}
		});
		assertThat(topology.tls()).isTrue();
		assertThat(topology.sslBundle()).isSameAs(bundle);
	}

	@Test
	void detailsThatNameNoServerAreExplained() {
		assertThatExceptionOfType(InvalidLockSetupException.class).isThrownBy(() -> of(new Details()))
			.withMessageContaining("bean of connection details");
	}

	@ParameterizedTest
	@ValueSource(strings = { "redisson", "redis" })
	void lockIsKeptWhereTheDetailsSay(String provider) {
		try (RedisTestServer server = RedisTestServer.runWithPassword("s3cret")) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
						RedissonLockAutoConfiguration.class, RedisLockAutoConfiguration.class))
				.withPropertyValues("lock.provider=" + provider, "spring.data.redis.port=1")
				.withBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {
					@Override
					public String getPassword() {
						return "s3cret";
					}

					@Override
					public Standalone getStandalone() {
						return Standalone.of("127.0.0.1", server.port());
					}
				})
				.run((context) -> {
					try (LockHandle handle = context.getBean(LockTemplate.class).acquire("k")) {
						assertThat(server.command("EXISTS", handle.key())).isEqualTo(1L);
					}
				});
		}
	}

	private static RedisTopology of(DataRedisConnectionDetails details) {
		StaticListableBeanFactory beans = new StaticListableBeanFactory();
		beans.addBean("details", details);
		return Objects.requireNonNull(Boot4ConnectionDetails.find(beans, PROPERTIES));
	}

	private static class Details implements DataRedisConnectionDetails {

		@Override
		public String getUsername() {
			return "shop";
		}

		@Override
		public String getPassword() {
			return "s3cret";
		}

	}

	private static final class Watchers implements DataRedisConnectionDetails.Sentinel {

		@Override
		public int getDatabase() {
			return 2;
		}

		@Override
		public String getMaster() {
			return "shop";
		}

		@Override
		public List<DataRedisConnectionDetails.Node> getNodes() {
			return List.of(new DataRedisConnectionDetails.Node("s1", 26379));
		}

		@Override
		public @Nullable String getUsername() {
			return "watcher";
		}

		@Override
		public @Nullable String getPassword() {
			return "w0rd";
		}

	}

}
