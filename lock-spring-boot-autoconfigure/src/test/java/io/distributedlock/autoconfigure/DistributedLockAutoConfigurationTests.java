package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;

import io.distributedlock.LockCapability;
import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockKeyLayout;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.autoconfigure.endpoint.LocksEndpointAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedisLockAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedissonLockAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedlockAutoConfiguration;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.redis.RedisLockProvider;
import io.distributedlock.redis.RedlockProvider;
import io.distributedlock.redisson.RedissonLockProvider;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spring.DistributedLockBeanPostProcessor;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static io.distributedlock.test.patience.Patience.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class DistributedLockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LocalLockAutoConfiguration.class, RedissonLockAutoConfiguration.class));

	private final ApplicationContextRunner withRedis = this.runner
		.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class, RedlockAutoConfiguration.class));

	@Test
	void redissonIsTheDefault() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(LockTemplate.class);
			assertThat(context).hasSingleBean(RedissonLockProvider.class);
			assertThat(context).hasSingleBean(DistributedLockBeanPostProcessor.class);
			assertThat(context.getBeanNamesForType(RedissonClient.class))
				.containsExactly("distributedLockRedissonClient");
		});
	}

	@Test
	void localProviderIfItIsNamed() {
		this.runner.withPropertyValues("lock.provider=local").withBean(Annotated.class).run((context) -> {
			assertThat(context).hasSingleBean(LocalLockProvider.class);
			assertThat(context).doesNotHaveBean(RedissonClient.class);
			assertThat(context.getBean(Annotated.class).run("1")).isEqualTo("ran 1");
		});
	}

	/**
	 * That of lock4j is named so, and beans of one name stop an application.
	 */
	@Test
	void otherLibraryMayHaveABeanNamedLockTemplate() {
		this.runner.withPropertyValues("lock.provider=local").withBean("lockTemplate", Object.class).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(LockTemplate.class);
			assertThat(context.getBeanNamesForType(LockTemplate.class))
				.containsExactly("distributedLockDefaultTemplate");
		});
	}

	@Test
	void beansOfAChildContextAreLockedByTheTemplateOfItsParent() {
		this.runner.withPropertyValues("lock.provider=local", "lock.key-prefix=p")
			.run((parent) -> this.runner.withParent(parent).withBean(Held.class).run((child) -> {
				assertThat(child.getBean(Held.class).key()).isEqualTo("p:held:k");
				assertThat(child.getBean(LockTemplate.class)).isSameAs(parent.getBean(LockTemplate.class));
			}));
	}

	@Test
	void childContextWithoutAutoConfigurationImportsIt() {
		this.runner.withPropertyValues("lock.provider=local", "lock.key-prefix=p").run((parent) -> {
			try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
				child.setParent(parent.getSourceApplicationContext());
				child.register(DistributedLockAutoConfiguration.class, Held.class);
				child.refresh();
				assertThat(child.getBean(Held.class).key()).isEqualTo("p:held:k");
				assertThat(child.getBean(LockTemplate.class)).isSameAs(parent.getBean(LockTemplate.class));
			}
		});
	}

	@Test
	void beanOfTheParentUnderANameOfTheChildIsLockedOnce() {
		this.runner.withPropertyValues("lock.provider=local", "lock.key-prefix=p")
			.withBean(Held.class)
			.run((parent) -> this.runner.withParent(parent)
				.withBean("again", Held.class, () -> parent.getBean(Held.class))
				.run((child) -> assertThat(child.getBean("again", Held.class).key()).isEqualTo("p:held:k")));
	}

	@Test
	void everyBeanBacksOff() {
		this.runner.withUserConfiguration(OwnBeans.class).run((context) -> {
			assertThat(context.getBean(LockTemplate.class)).isSameAs(context.getBean("ownTemplate"));
			assertThat(context.getBean(LockProvider.class)).isSameAs(context.getBean("ownProvider"));
			assertThat(context).hasSingleBean(DistributedLockBeanPostProcessor.class);
			assertThat(context).hasBean("ownPostProcessor");
			assertThat(context).doesNotHaveBean(RedissonClient.class);
		});
	}

	@Test
	void applicationsRedissonClientIsUsed() {
		this.runner.withBean("own", RedissonClient.class, DistributedLockAutoConfigurationTests::lazyClient)
			.run((context) -> {
				assertThat(context).hasSingleBean(RedissonClient.class).hasSingleBean(RedissonLockProvider.class);
				assertThat(context).doesNotHaveBean("distributedLockRedissonClient");
			});
	}

	/**
	 * What comes after the template would draw the template, and so the provider, before
	 * that client.
	 */
	@Test
	void clientOfAnyOtherAutoConfigurationIsUsed() {
		List<Class<?>> all = new ArrayList<>(List.of(ZooClientAutoConfiguration.class));
		ClassLoader loader = getClass().getClassLoader();
		ImportCandidates.load(AutoConfiguration.class, loader)
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.distributedlock."))
			.map((name) -> ClassUtils.resolveClassName(name, loader))
			.forEach(all::add);
		assertThat(all).contains(LocksEndpointAutoConfiguration.class);
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(all.toArray(Class[]::new)))
			.withPropertyValues("lock.provider=redisson", "management.endpoints.web.exposure.include=locks")
			.run((context) -> {
				assertThat(context).hasSingleBean(RedissonLockProvider.class);
				assertThat(context.getBeanNamesForType(RedissonClient.class)).containsExactly("clientOfTheZoo");
			});
	}

	@Test
	void connectionFactoryOfTheApplicationIsNotReplaced() {
		this.runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.run((context) -> assertThat(context.getBean(RedisConnectionFactory.class))
				.isInstanceOf(LettuceConnectionFactory.class));
	}

	@Test
	void propertiesReachTheTemplate() {
		this.runner
			.withPropertyValues("lock.provider=local", "spring.application.name=shop", "lock.lease-time=17s",
					"lock.wait-time=0s", "lock.interop.polling=100ms")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				try (LockHandle handle = template.acquire(LockRequest.of("k").withName("n"))) {
					assertThat(handle.key()).isEqualTo("shop:lock:n:k");
					assertThat(handle.remaining()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(17));
				}
			});
	}

	@Test
	void keyPrefixCanBeSet() {
		this.runner.withPropertyValues("lock.provider=local", "lock.key-prefix=prod:shop").run((context) -> {
			try (LockHandle handle = context.getBean(LockTemplate.class).acquire("k")) {
				assertThat(handle.key()).isEqualTo("prod:shop:k");
			}
		});
		this.runner.withPropertyValues("lock.provider=local", "spring.application.name=shop", "lock.key-prefix=")
			.run((context) -> {
				try (LockHandle handle = context.getBean(LockTemplate.class).acquire("k")) {
					assertThat(handle.key()).isEqualTo("k");
				}
			});
	}

	@Test
	void namesCanBeRequired() {
		this.runner.withPropertyValues("lock.provider=local", "lock.require-name=true")
			.withBean(Held.class)
			.withBean(Exact.class)
			.run((context) -> assertThat(context.getBean(Exact.class).key("42")).isEqualTo("order_42"));
		this.runner.withPropertyValues("lock.provider=local", "lock.require-name=true")
			.withBean(Held.class)
			.withBean(Annotated.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Annotated.run(String)")
				.hasMessageNotContaining("Held"));
	}

	@Test
	void missingNameOfALazyBeanHarmsNoOther() {
		this.runner.withPropertyValues("lock.provider=local", "lock.require-name=true")
			.withBean("unnamed", Annotated.class, Annotated::new, (bean) -> bean.setLazyInit(true))
			.withBean(Held.class, Held::new, (bean) -> bean.setLazyInit(true))
			.run((context) -> {
				for (int i = 0; i < 2; i++) {
					assertThatThrownBy(() -> context.getBean("unnamed")).hasMessageContaining("Annotated.run(String)");
				}
				assertThat(context.getBean(Held.class).key()).endsWith("held:k");
			});
	}

	@Test
	void keyLayoutOfTheApplicationIsUsed() {
		this.runner.withPropertyValues("lock.provider=local", "spring.application.name=shop", "lock.fail-fast=true")
			.withBean(LockKeyLayout.class, () -> (prefix, name, key) -> prefix + "|" + name + "|" + key)
			.withBean(Held.class)
			.run((context) -> assertThat(context.getBean(Held.class).key()).isEqualTo("shop:lock|held|k"));
	}

	@Test
	void listenersOfTheApplicationAreTold() {
		Queue<String> acquired = new ConcurrentLinkedQueue<>();
		this.runner.withPropertyValues("lock.provider=local")
			.withBean("counting", LockListener.class,
					() -> LockListener.of(LockEvent.Acquired.class, (event) -> acquired.add(event.lock().key())))
			.run((context) -> {
				context.getBean(LockTemplate.class).execute("k", () -> {
				});
				await().untilAsserted(() -> assertThat(acquired).hasSize(1));
			});
	}

	@Test
	void invalidPropertyIsExplained() {
		this.runner.withPropertyValues("lock.provider=local", "lock.command-timeout=-1s")
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription())
				.contains("command time-out")
				.contains("-1"));
	}

	@Test
	void missingProviderIsExplained() {
		this.runner.withClassLoader(new FilteredClassLoader(RedissonLockProvider.class)).run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("no lock provider");
			assertThat(analysis.getAction()).contains("lock-spring-boot-starter")
				.contains("spring.data.redis.host")
				.contains("lock.provider=local");
		});
	}

	@Test
	void unknownProviderIsExplained() {
		this.runner.withPropertyValues("lock.provider=tibet").run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("'tibet'").doesNotContain("none");
			assertThat(analysis.getAction()).contains("redisson", "local");
		});
	}

	@Test
	void unknownProviderBesideTheDefaultOneIsExplained() {
		this.runner.withPropertyValues("lock.provider=local", "lock.providers=tibet").run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("lock.providers", "'tibet'", "local");
		});
	}

	@Test
	void durationsAreWrittenAsInAnnotations() {
		this.runner.withPropertyValues("lock.provider=local", "lock.wait-time=5").run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("lock.wait-time", "'5'", "without a unit");
			assertThat(analysis.getAction()).contains("30s");
		});
		this.runner.withPropertyValues("lock.provider=local", "lock.command-timeout=3")
			.withBean(LockTemplate.class, () -> mock())
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription())
				.contains("lock.command-timeout"));
		this.runner
			.withPropertyValues("lock.provider=local", "lock.wait-time=0", "lock.lease-time=-1",
					"lock.command-timeout=PT2S")
			.run((context) -> {
				assertThat(context.getBean(LockProperties.class).leaseTime()).isNull();
				assertThat(context).hasSingleBean(LockTemplate.class);
			});
	}

	@Test
	void customizersHaveTheLastWordInTheirOrder() {
		this.runner.withPropertyValues("lock.provider=local", "lock.key-prefix=property")
			.withBean("second", LockTemplateBuilderCustomizer.class,
					() -> new OrderedCustomizer(2, (builder) -> builder.keyPrefix("second")))
			.withBean("first", LockTemplateBuilderCustomizer.class,
					() -> new OrderedCustomizer(1, (builder) -> builder.keyPrefix("first")))
			.run((context) -> assertThat(
					context.getBean(LockTemplate.class).execute("a", () -> LockContext.current().key()))
				.isEqualTo("second:a"));
	}

	@Test
	void mockOfAProviderIsExplained() {
		this.runner.withBean(LockProvider.class, () -> mock(LockProvider.class)).run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("returns null");
			assertThat(analysis.getAction()).contains("lock.provider=local");
		});
	}

	@Test
	void mockOfTheTemplateIsExplainedAndCanBeStubbed() {
		LockTemplate template = mock(LockTemplate.class);
		this.runner.withBean(LockTemplate.class, () -> template).withBean(Locked.class).run((context) -> {
			Locked locked = context.getBean(Locked.class);
			assertThatIllegalStateException().isThrownBy(locked::run).withMessageContaining("stub");
			given(template.acquire(any(LockRequest.class))).willReturn(mock(LockHandle.class));
			assertThat(locked.run()).isEqualTo("ran");
		});
	}

	@Test
	void twoCandidatesAndNoChoiceAreExplained() {
		this.withRedis.run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("several").contains("redis, ").contains("redisson");
			assertThat(analysis.getAction()).contains("lock.provider").contains("lock.providers");
		});
	}

	@Test
	void severalProvidersServeTogether() {
		this.withRedis.withPropertyValues("lock.provider=local", "lock.providers=redisson,redis").run((context) -> {
			assertThat(context.getBeansOfType(LockProvider.class)).containsOnlyKeys("distributedLockProviderLocal",
					"distributedLockProviderRedisson", "distributedLockProviderRedis");
			LockTemplate template = context.getBean(LockTemplate.class);
			try (LockHandle handle = template.acquire("k")) {
				assertThat(handle.provider()).isEqualTo("local");
			}
			template.check(LockRequest.of("k").withProvider("redis"));
		});
	}

	@Test
	void redlockNeedsThreeServers() {
		this.withRedis.withPropertyValues("lock.provider=redlock").run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("lock.redis.redlock.nodes");
		});
		this.withRedis
			.withPropertyValues("lock.provider=redlock",
					"lock.redis.redlock.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2,redis://127.0.0.1:3")
			.run((context) -> assertThat(context).hasSingleBean(RedlockProvider.class));
	}

	@Test
	void lettuceClientOfTheApplicationIsUsed() {
		this.withRedis.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues("lock.provider=redis")
			.run((context) -> {
				assertThat(context).hasSingleBean(RedisLockProvider.class);
				assertThat(context).doesNotHaveBean("distributedLockRedisClient");
			});
		this.withRedis.withPropertyValues("lock.provider=redis")
			.run((context) -> assertThat(context).hasBean("distributedLockRedisClient")
				.hasSingleBean(RedisLockProvider.class));
	}

	@Test
	void capabilityThatTheProviderLacksIsExplained() {
		this.runner.withPropertyValues("lock.provider=local").withBean(NeedsFailover.class).run((context) -> {
			FailureAnalysis analysis = new InvalidLockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("NeedsFailover.run()", "SURVIVES_FAILOVER", "local");
		});
	}

	@Test
	void providerOfAnAnnotationThatDoesNotExistIsExplained() {
		this.runner.withPropertyValues("lock.provider=local").withBean(OnEtcd.class).run((context) -> {
			FailureAnalysis analysis = new InvalidLockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("OnEtcd.run()", "'etcd'", "[local]");
		});
	}

	@Test
	void lazyBeanIsCheckedWhenItIsCreated() {
		this.runner.withPropertyValues("lock.provider=local")
			.withBean(OnEtcd.class, OnEtcd::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThatExceptionOfType(BeanCreationException.class)
				.isThrownBy(() -> context.getBean(OnEtcd.class))
				.withMessageContaining("'etcd'"));
	}

	@Test
	void invalidAnnotationIsExplained() {
		this.runner.withPropertyValues("lock.provider=local").withBean(Misspelled.class).run((context) -> {
			Throwable cause = context.getStartupFailure().getCause();
			assertThat(cause).isInstanceOf(InvalidLockOperationException.class);
			FailureAnalysis analysis = new InvalidLockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("Misspelled.run(String)").contains("'idd'");
		});
	}

	@Test
	void everyPropertyIsDescribed() throws IOException {
		String metadata = new ClassPathResource("META-INF/spring-configuration-metadata.json")
			.getContentAsString(StandardCharsets.UTF_8);
		assertThat(metadata).contains("lock.enabled", "lock.provider", "lock.key-prefix", "lock.wait-time",
				"lock.lease-time", "lock.command-timeout", "lock.poll-interval", "lock.renewal.lease-time",
				"lock.spel.bean-references", "lock.redisson.config", "lock.providers", "lock.lock-delay",
				"lock.redis.redlock.nodes");
		String properties = metadata.substring(metadata.indexOf("\"properties\""), metadata.indexOf("\"hints\""));
		assertThat(count(properties, "\"name\": \"lock")).isGreaterThan(14);
		assertThat(count(properties, "\"description\"")).isEqualTo(count(properties, "\"name\": "));
	}

	@Test
	void everyDurationNeedsAUnit() throws IOException {
		String metadata = new ClassPathResource("META-INF/spring-configuration-metadata.json")
			.getContentAsString(StandardCharsets.UTF_8);
		List<String> times = Pattern.compile("\"name\": \"(lock\\.[^\"]+)\",\\s*\"type\": \"java\\.time\\.Duration\"")
			.matcher(metadata)
			.results()
			.map((match) -> match.group(1))
			.toList();
		assertThat(times).isNotEmpty().containsExactlyInAnyOrderElementsOf(DurationTexts.PROPERTIES);
	}

	private static int count(String text, String part) {
		return text.split(Pattern.quote(part), -1).length - 1;
	}

	private static FailureAnalysis analyze(Throwable failure) {
		FailureAnalysis analysis = new InvalidLockSetupFailureAnalyzer().analyze(failure);
		assertThat(analysis).as("analysis of %s", failure).isNotNull();
		return analysis;
	}

	// after all of the usual order, whatever their names
	@AutoConfigureOrder(1)
	@AutoConfiguration
	static class ZooClientAutoConfiguration {

		@Bean(destroyMethod = "shutdown")
		@ConditionalOnMissingBean
		RedissonClient clientOfTheZoo() {
			return lazyClient();
		}

	}

	private static RedissonClient lazyClient() {
		Config config = new Config();
		config.setLazyInitialization(true);
		config.useSingleServer().setAddress("redis://127.0.0.1:1");
		return Redisson.create(config);
	}

	static class Annotated {

		@DistributedLock("#id")
		public String run(String id) {
			return "ran " + id;
		}

	}

	static class Exact {

		@DistributedLock(key = "'order_' + #id", exactKey = true)
		public String key(String id) {
			return LockContext.current().key();
		}

	}

	static class NeedsFailover {

		@DistributedLock(requires = LockCapability.SURVIVES_FAILOVER)
		public void run() {
		}

	}

	static class OnEtcd {

		@DistributedLock(provider = "etcd")
		public void run() {
		}

	}

	static class Misspelled {

		@DistributedLock("#idd")
		public void run(String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnBeans {

		@Bean
		LockProvider ownProvider() {
			return new LocalLockProvider();
		}

		@Bean
		LockTemplate ownTemplate(LockProvider provider) {
			return DefaultLockTemplate.builder().provider(provider).build();
		}

		@Bean
		static DistributedLockBeanPostProcessor ownPostProcessor() {
			return new DistributedLockBeanPostProcessor(() -> mock(LockTemplate.class),
					DistributedLockSettings.DEFAULTS);
		}

	}

	static class Held {

		// with one permit, because advice that was applied twice could not acquire twice
		@DistributedSemaphore(permits = "1", name = "held", key = "'k'", waitTime = "0")
		public String key() {
			return LockContext.find().map(LockHandle::key).orElse("no lock");
		}

	}

	static class Locked {

		@DistributedLock
		public String run() {
			return "ran";
		}

	}

	private record OrderedCustomizer(int getOrder,
			LockTemplateBuilderCustomizer delegate) implements LockTemplateBuilderCustomizer, Ordered {

		@Override
		public void customize(LockTemplateBuilder builder) {
			this.delegate.customize(builder);
		}

	}

}
