package io.distributedlock.autoconfigure.endpoint;

import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockHandle;
import io.distributedlock.LockKeyLayout;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LocalLockAutoConfiguration;
import io.distributedlock.autoconfigure.endpoint.LocksEndpoint.ForcedReleaseDescriptor;
import io.distributedlock.autoconfigure.endpoint.LocksEndpoint.KeyDescriptor;
import io.distributedlock.autoconfigure.endpoint.LocksEndpoint.OwnerDescriptor;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spring.LockForcedReleaseEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Who has a key according to the backend, and the forced release of it.
 */
class KeyOwnersTests {

	private static final LockRequest ORDER = LockRequest.of("42").withName("order");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LocalLockAutoConfiguration.class,
						EndpointAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
		.withUserConfiguration(Recorder.class)
		.withPropertyValues("lock.provider=local", "lock.key-prefix=shop",
				"management.endpoints.jmx.exposure.include=locks", "management.endpoints.web.exposure.include=locks");

	@Test
	void ownerHasTheHashThatItsNodeShows() {
		this.runner.run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			assertThat(show(endpoint, "shop:order:42").owners()).isEmpty();
			try (LockHandle handle = context.getBean(LockTemplate.class).acquire(ORDER)) {
				LocksEndpoint.HeldDescriptor held = endpoint.locks().held().get(0);
				KeyDescriptor shown = show(endpoint, "shop:order:42");
				assertThat(shown.key()).isEqualTo("sha256:23897f4f5dca59d6");
				assertThat(shown.error()).isNull();
				assertThat(shown.owners()).singleElement().satisfies((owner) -> {
					assertThat(owner.owner()).isEqualTo(held.owner()).hasSize(16);
					assertThat(owner.type()).isEqualTo("exclusive");
					assertThat(owner.fencingToken()).isEqualTo(handle.fencingToken().getAsLong());
					assertThat(owner.remainingMs()).isPositive();
					assertThat(owner.heldHere()).isTrue();
				});
				assertThat(owner(show(endpoint, "sha256:23897f4f5dca59d6"))).isEqualTo(owner(shown));
			}
		});
	}

	@Test
	void unknownProviderAndUnknownHashAreRefused() {
		this.runner.run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.key("redis", "shop:order:42"))
				.satisfies((ex) -> assertThat(ex.getReason()).contains("no lock provider named 'redis'", "local"));
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> show(endpoint, "sha256:0000000000000000"))
				.satisfies((ex) -> assertThat(ex.getReason()).contains("0000000000000000", "full key"));
		});
	}

	@ParameterizedTest
	@CsvSource({ "'', a:b, shop:a%3Ab, shop:a:b", "a:b, c:d, shop:a%3Ab:c%3Ad, shop:a:b:c:d",
			"'', a/b c, shop:a%2Fb%20c, shop:a/b c", "order, 50%, shop:order:50%25, shop:order:50%",
			"order, é, shop:order:%C3%A9, shop:order:é" })
	void keyWhoseEscapesWereLostInTheAddressIsFound(String name, String key, String fullKey, String decoded) {
		this.runner.run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			LockRequest request = name.isEmpty() ? LockRequest.of(key) : LockRequest.of(key).withName(name);
			try (LockHandle handle = context.getBean(LockTemplate.class).acquire(request)) {
				assertThat(handle.key()).isEqualTo(fullKey);
				assertThat(show(endpoint, fullKey).owners()).hasSize(1);
				assertThat(show(endpoint, decoded)).usingRecursiveComparison()
					.ignoringFieldsMatchingRegexes(".*remainingMs")
					.isEqualTo(show(endpoint, fullKey));
			}
			assertThat(show(endpoint, fullKey).owners()).isEmpty();
			assertThat(show(endpoint, decoded).owners()).as("whatever it means").isEmpty();
		});
	}

	@Test
	void keyOfAnotherLayoutIsFoundAsItIs() {
		this.runner.withBean(LockKeyLayout.class, () -> (prefix, name, key) -> {
			if (name.isEmpty()) {
				throw new IllegalStateException("no name");
			}
			return "%s|%s %s%%".formatted(prefix, name, key);
		}).run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			try (LockHandle handle = context.getBean(LockTemplate.class).acquire(ORDER);
					LockHandle exact = context.getBean(LockTemplate.class).acquire(LockRequest.ofExactKey("a b:c"))) {
				assertThat(handle.key()).isEqualTo("shop|order 42%");
				assertThat(show(endpoint, handle.key()).owners()).hasSize(1);
				assertThat(show(endpoint, exact.key()).owners()).hasSize(1);
			}
		});
	}

	@Test
	void keyOfAnotherApplicationIsAskedForAsItIs() {
		this.runner.run((context) -> {
			KeyDescriptor shown = show(context.getBean(LocksEndpoint.class), "bank:eu:a b");
			assertThat(shown.owners()).isEmpty();
			assertThat(shown.key()).isEqualTo("sha256:" + ShownKeys.hash("bank:eu:a b"));
		});
	}

	@Test
	void answersHaveTheFieldsThatAreDocumentedWhateverTheApplicationWrites() {
		new WebApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DistributedLockAutoConfiguration.class, LocalLockAutoConfiguration.class,
							EndpointAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
			.withPropertyValues("lock.provider=local", "management.endpoints.web.exposure.include=locks")
			.run((context) -> {
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				// Spring Boot writes only these with its own mapper, without nulls
				assertThat(List.of(endpoint.locks(), show(endpoint, "lock:order:42"), release(endpoint, "nobody")))
					.allMatch(OperationResponseBody.class::isInstance);
			});
	}

	@Test
	void forcedReleaseNamesTheOwnerThatWasSeen() {
		this.runner.run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			Recorder recorder = context.getBean(Recorder.class);
			LockTemplate template = context.getBean(LockTemplate.class);
			LockHandle handle = template.acquire(ORDER);
			OwnerDescriptor owner = owner(show(endpoint, "shop:order:42"));
			assertThat(release(endpoint, "0123456789abcdef"))
				.isEqualTo(new ForcedReleaseDescriptor("not-owner", null, null));
			handle.ensureHeld();
			ForcedReleaseDescriptor done = release(endpoint, owner.owner());
			assertThat(done.outcome()).isEqualTo("released");
			assertThat(done.fencingToken()).isGreaterThan(handle.fencingToken().getAsLong());
			assertThat(show(endpoint, "shop:order:42").owners()).isEmpty();
			assertThat(release(endpoint, owner.owner()).outcome()).isEqualTo("not-owner");
			handle.close();
			assertThat(recorder.releases).singleElement().satisfies((event) -> {
				assertThat(event.key()).isEqualTo("shop:order:42");
				assertThat(event.provider()).isEqualTo("local");
				assertThat(event.type()).isEqualTo(LockType.EXCLUSIVE);
				assertThat(event.fencingToken()).hasValue(done.fencingToken());
				assertThat(event.principal()).isEqualTo("ann");
			});
			assertThat(recorder.audit).hasSize(3).allSatisfy((event) -> {
				assertThat(event.getType()).isEqualTo("LOCK_FORCED_RELEASE");
				assertThat(event.getPrincipal()).isEqualTo("ann");
				assertThat(event.getData()).containsEntry("key", "sha256:23897f4f5dca59d6");
			})
				.extracting((event) -> event.getData().get("outcome"))
				.containsExactly("not-owner", "released", "not-owner");
		});
	}

	/**
	 * Each has a backend and a prefix of its own, and both call their provider the same.
	 */
	@Test
	void locksOfEachTemplateAreShownAndReleasedAlsoBehindAProxy() {
		DefaultLockTemplate own = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
		this.runner
			.withBean("first", LockTemplate.class,
					() -> DefaultLockTemplate.builder().provider(new LocalLockProvider()).keyPrefix("first").build())
			.withBean("second", LockTemplate.class, () -> (LockTemplate) new ProxyFactory(own).getProxy())
			.run((context) -> {
				assertThat(context).hasSingleBean(LocksEndpoint.class);
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				LockHandle later = own.acquire("a:b");
				try (LockHandle first = context.getBean("first", LockTemplate.class).acquire(ORDER)) {
					assertThat(first.key()).isEqualTo("first:order:42");
					assertThat(endpoint.locks().held()).extracting(LocksEndpoint.HeldDescriptor::key)
						.containsExactlyInAnyOrder("sha256:" + ShownKeys.hash(later.key()),
								"sha256:" + ShownKeys.hash("first:order:42"));
					assertThat(show(endpoint, "first:order:42").owners()).hasSize(1);
				}
				for (String key : List.of(later.key(), later.key().replace("%3A", ":"),
						"sha256:" + ShownKeys.hash(later.key()))) {
					assertThat(owner(show(endpoint, key)).heldHere()).isTrue();
				}
				OwnerDescriptor owner = owner(show(endpoint, later.key()));
				ForcedReleaseDescriptor done = endpoint.release("local", later.key(), owner.owner(), user());
				assertThat(done).isNotNull();
				assertThat(done.outcome()).isEqualTo("released");
				assertThat(show(endpoint, later.key()).owners()).isEmpty();
				assertThatExceptionOfType(InvalidEndpointRequestException.class)
					.isThrownBy(() -> endpoint.key("redis", "a"))
					.satisfies((ex) -> assertThat(ex.getReason()).contains("no lock provider named 'redis'", "local"));
			});
	}

	@Test
	void ownersOfAKeyOnTwoBackendsOfOneNameAreBothShownAndReleased() {
		LocalLockProvider shared = new LocalLockProvider();
		DefaultLockTemplate first = template(shared);
		DefaultLockTemplate second = template(new LocalLockProvider());
		// on this backend the second lock, so that its owner has another name
		second.acquire("other").close();
		this.runner.withBean("first", LockTemplate.class, () -> first)
			.withBean("sharing", LockTemplate.class, () -> template(shared))
			.withBean("second", LockTemplate.class, () -> second)
			.run((context) -> {
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				LockHandle onFirst = first.acquire(LockRequest.ofExactKey("shop:order:42"));
				LockHandle onSecond = second.acquire(LockRequest.ofExactKey("shop:order:42"));
				List<OwnerDescriptor> owners = show(endpoint, "shop:order:42").owners();
				assertThat(owners).hasSize(2).allMatch(OwnerDescriptor::heldHere);
				assertThat(release(endpoint, owners.get(1).owner()).outcome()).isEqualTo("released");
				assertThat(owner(show(endpoint, "shop:order:42")).owner()).isEqualTo(owners.get(0).owner());
				assertThat(release(endpoint, owners.get(0).owner()).outcome()).isEqualTo("released");
				assertThat(show(endpoint, "shop:order:42").owners()).isEmpty();
				onFirst.close();
				onSecond.close();
			});
	}

	private static DefaultLockTemplate template(LocalLockProvider provider) {
		return DefaultLockTemplate.builder().provider(provider).build();
	}

	@Test
	void backendThatFailsIsShownAndNothingIsClaimed() {
		this.runner.withUserConfiguration(DownConfiguration.class)
			.withPropertyValues("lock.provider=down")
			.run((context) -> {
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				KeyDescriptor shown = endpoint.key("down", "shop:order:42");
				assertThat(shown).isNotNull();
				assertThat(shown.owners()).isNull();
				assertThat(shown.error()).endsWith("BackendException: down");
				ForcedReleaseDescriptor done = endpoint.release("down", "shop:order:42", "0", user());
				assertThat(done).isNotNull();
				assertThat(done.outcome()).isEqualTo("unknown");
				assertThat(done.error()).endsWith("BackendException: down");
				assertThat(context.getBean(Recorder.class).releases).isEmpty();
				assertThat(context.getBean(Recorder.class).audit).hasSize(1);
			});
	}

	@Test
	void forcedReleaseIsThereOnlyWhereAccessIsUnrestricted() {
		WebApplicationContextRunner web = new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
					LocalLockAutoConfiguration.class, EndpointAutoConfiguration.class,
					WebEndpointAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
			.withPropertyValues("lock.provider=local", "management.endpoints.web.exposure.include=locks");
		web.run((context) -> assertThat(methods(context)).contains("GET").doesNotContain("DELETE"));
		// this context has no relaxed conversion of words to constants
		web.withPropertyValues("management.endpoint.locks.access=UNRESTRICTED")
			.run((context) -> assertThat(methods(context)).contains("GET", "DELETE"));
		web.withPropertyValues("management.endpoint.locks.access=UNRESTRICTED",
				"management.endpoints.access.max-permitted=READ_ONLY")
			.run((context) -> assertThat(methods(context)).contains("GET").doesNotContain("DELETE"));
	}

	private static List<String> methods(AssertableWebApplicationContext context) {
		assertThat(context).hasNotFailed();
		List<String> methods = new ArrayList<>();
		context.getBean(WebEndpointsSupplier.class)
			.getEndpoints()
			.stream()
			.filter((endpoint) -> endpoint.getEndpointId().toString().equals("locks"))
			.flatMap((endpoint) -> endpoint.getOperations().stream())
			.map(WebOperation::getRequestPredicate)
			.forEach((predicate) -> methods.add(predicate.getHttpMethod().name()));
		return methods;
	}

	private static KeyDescriptor show(LocksEndpoint endpoint, String key) {
		KeyDescriptor shown = endpoint.key("local", key);
		assertThat(shown).isNotNull();
		return shown;
	}

	private static OwnerDescriptor owner(KeyDescriptor shown) {
		assertThat(shown.owners()).hasSize(1);
		OwnerDescriptor owner = shown.owners().get(0);
		// without the time, which passes
		return new OwnerDescriptor(owner.owner(), owner.type(), owner.fencingToken(), null, owner.heldHere());
	}

	private static ForcedReleaseDescriptor release(LocksEndpoint endpoint, String owner) {
		ForcedReleaseDescriptor done = endpoint.release("local", "shop:order:42", owner, user());
		assertThat(done).isNotNull();
		return done;
	}

	private static SecurityContext user() {
		return new SecurityContext() {

			@Override
			public Principal getPrincipal() {
				return () -> "ann";
			}

			@Override
			public boolean isUserInRole(String role) {
				return false;
			}

		};
	}

	@Configuration(proxyBeanMethods = false)
	static class DownConfiguration {

		@Bean
		LockProvider down() {
			return new Down();
		}

	}

	private static final class Down implements LockProvider, LockOwners {

		@Override
		public String name() {
			return "down";
		}

		@Override
		public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
			return CompletableFuture.failedFuture(new BackendException("down", false, null));
		}

		@Override
		public CompletionStage<List<LockOwner>> owners(String key) {
			return CompletableFuture.failedFuture(new BackendException("down", false, null));
		}

		@Override
		public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
			return CompletableFuture.failedFuture(new BackendException("down", false, null));
		}

	}

	static class Recorder {

		private final List<LockForcedReleaseEvent> releases = new CopyOnWriteArrayList<>();

		private final List<AuditEvent> audit = new CopyOnWriteArrayList<>();

		@EventListener
		void released(LockForcedReleaseEvent event) {
			this.releases.add(event);
		}

		@EventListener
		void audited(AuditApplicationEvent event) {
			this.audit.add(event.getAuditEvent());
		}

	}

}
