package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spring.DistributedLockBeanPostProcessor;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Refuses to start an application if the backend of a provider cannot work. Asks each for
 * an answer, then takes and releases a lock of each type that annotated methods use; of
 * the type {@link LockType#EXCLUSIVE} in any case. Asks all providers of a template at
 * the same time, so that the start waits for two command time-outs at most.
 *
 * @param beans has the templates that ask the providers
 * @param defaultProvider what {@code lock.provider} says, which a template of the
 * application need not follow
 * @param annotated knows the annotated methods
 */
record BackendsAtStart(ListableBeanFactory beans, @Nullable String defaultProvider,
		ObjectProvider<DistributedLockBeanPostProcessor> annotated) implements SmartInitializingSingleton {

	private static final String START = "Start the backend in a version that this provider supports, or correct its address and credentials%s. To start without it, set lock.fail-fast=false: calls then fail with LockUnavailableException until it answers.";

	private static final String ALLOW = "Give the user of the application the rights, and the server the version, that the page of this provider in docs/providers names for its locks; or use no locks of type %s. To start without them, set lock.fail-fast=false: calls for these locks then fail with LockUnavailableException.";

	@Override
	public void afterSingletonsInstantiated() {
		LockTemplate single = this.beans.getBeanProvider(LockTemplate.class).getIfUnique();
		List<DefaultLockTemplate> ofMethods = LockTemplates.of((single != null) ? Set.of(single) : Set.of());
		LockTemplates.of(this.beans.getBeansOfType(LockTemplate.class, false, true).values())
			.forEach((each) -> requireAll(each, ofMethods.contains(each)));
	}

	private void requireAll(DefaultLockTemplate template, boolean ofMethods) {
		Set<String> providers = template.backends().providers();
		Map<String, CompletableFuture<?>> answers = new LinkedHashMap<>();
		providers.forEach((provider) -> answers.put(provider, answer(template, provider)));
		answers.forEach((provider, answer) -> require(provider, "does not answer", START, answer));
		Map<Tried, CompletableFuture<?>> locks = new LinkedHashMap<>();
		tried(providers, ofMethods).forEach((each) -> locks.put(each, lock(template, each)));
		locks.forEach((each, lock) -> require(name(each, providers),
				"answers, but cannot keep a lock of type " + each.type(), ALLOW.formatted(each.type()), lock));
	}

	private static CompletableFuture<?> answer(DefaultLockTemplate template, String provider) {
		return Failures
			.orElse(template.backends().ping(provider),
					(failure) -> Failures.unwrap(failure) instanceof UnsupportedOperationException,
					() -> CompletableFuture.completedFuture(Duration.ZERO))
			.toCompletableFuture();
	}

	private Set<Tried> tried(Set<String> providers, boolean ofMethods) {
		Set<Tried> tried = new LinkedHashSet<>();
		providers.forEach((provider) -> tried.add(new Tried(provider, LockType.EXCLUSIVE)));
		this.annotated.stream()
			.filter((each) -> ofMethods)
			.flatMap((each) -> each.declaredRequests().stream())
			.filter((each) -> each.type() != LockType.EXCLUSIVE)
			.forEach((each) -> tried.add(new Tried(each.provider(), each.type())));
		return tried;
	}

	private String name(Tried tried, Set<String> providers) {
		if (tried.provider() != null) {
			return tried.provider();
		}
		return (this.defaultProvider != null) ? this.defaultProvider : String.join(" or ", providers);
	}

	/**
	 * Take a lock and release it. If another instance has it, the backend works, too.
	 */
	private static CompletableFuture<?> lock(DefaultLockTemplate template, Tried tried) {
		// the same key for all instances, as a database keeps a row for each key
		LockRequest request = LockRequest.of("start-check-" + tried.type()).withWaitTime(Duration.ZERO);
		if (tried.provider() != null) {
			request = request.withProvider(tried.provider());
		}
		return template
			.tryAcquireAsync(
					(tried.type() == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(tried.type()))
			.thenCompose((lock) -> lock.map(LockHandle::closeAsync)
				.orElseGet(() -> CompletableFuture.completedFuture(null)));
	}

	private static void require(String provider, String problem, String action, CompletableFuture<?> answer) {
		try {
			answer.join();
		}
		catch (CompletionException ex) {
			Throwable failure = cause(Failures.unwrap(ex));
			throw new InvalidLockSetupException(
					"The backend of lock provider %s %s, and lock.fail-fast is set: %s".formatted(provider, problem,
							(failure instanceof BackendException || failure instanceof InvalidLockKeyException)
									? failure.getMessage() : failure.getClass().getName()),
					action.formatted(
							KnownProvider.of(provider).map(KnownProvider::settings).map(": "::concat).orElse("")),
					failure);
		}
	}

	private static Throwable cause(Throwable failure) {
		return (failure.getCause() instanceof BackendException backend) ? backend : failure;
	}

	/**
	 * A lock to try.
	 *
	 * @param provider the name of the provider, {@code null} for the default one
	 * @param type the lock type
	 */
	private record Tried(@Nullable String provider, LockType type) {
	}

}
