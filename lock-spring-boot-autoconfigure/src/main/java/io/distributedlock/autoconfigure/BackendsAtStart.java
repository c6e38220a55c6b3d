package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spring.DistributedLockBeanPostProcessor;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Refuses to start an application if the backend of a provider cannot work. Asks each for
 * an answer, then takes and releases a lock of each type that annotated methods use; of
 * the type {@link LockType#EXCLUSIVE} in any case. Asks all providers at the same time,
 * so that the start waits for two command time-outs at most.
 *
 * @param templates has the template that asks the providers; none in a test that has a
 * mock instead
 * @param providers the providers of the template
 * @param defaultProvider the name of the default provider
 * @param annotated knows the annotated methods
 */
record BackendsAtStart(ObjectProvider<DefaultLockTemplate> templates, List<LockProvider> providers,
		String defaultProvider,
		ObjectProvider<DistributedLockBeanPostProcessor> annotated) implements SmartInitializingSingleton {

	private static final String START = "Start the backend in a version that this provider supports, or correct its address and credentials%s. To start without it, set lock.fail-fast=false: calls then fail with LockUnavailableException until it answers.";

	private static final String ALLOW = "Give the user of the application the rights, and the server the version, that the page of this provider in docs/providers names for its locks; or use no locks of type %s. To start without them, set lock.fail-fast=false: calls for these locks then fail with LockUnavailableException.";

	@Override
	public void afterSingletonsInstantiated() {
		this.templates.ifAvailable(this::requireAll);
	}

	private void requireAll(DefaultLockTemplate template) {
		Map<String, CompletableFuture<?>> answers = new LinkedHashMap<>();
		this.providers.forEach((provider) -> answers.put(provider.name(), answer(template, provider.name())));
		answers.forEach((provider, answer) -> require(provider, "does not answer", START, answer));
		Map<Tried, CompletableFuture<?>> locks = new LinkedHashMap<>();
		tried().forEach((each) -> locks.put(each, lock(template, each)));
		locks.forEach((each, lock) -> require(each.provider(), "answers, but cannot keep a lock of type " + each.type(),
				ALLOW.formatted(each.type()), lock));
	}

	private static CompletableFuture<?> answer(DefaultLockTemplate template, String provider) {
		return template.backends()
			.ping(provider)
			.exceptionallyCompose((failure) -> (Failures.unwrap(failure) instanceof UnsupportedOperationException)
					? CompletableFuture.completedFuture(Duration.ZERO) : CompletableFuture.failedFuture(failure));
	}

	private Set<Tried> tried() {
		Set<Tried> tried = new LinkedHashSet<>();
		this.providers.forEach((provider) -> tried.add(new Tried(provider.name(), LockType.EXCLUSIVE)));
		this.annotated.stream()
			.flatMap((each) -> each.declaredRequests().stream())
			.forEach((each) -> tried
				.add(new Tried(Objects.requireNonNullElse(each.provider(), this.defaultProvider), each.type())));
		return tried;
	}

	/**
	 * Take a lock and release it. If another instance has it, the backend works, too.
	 */
	private static CompletableFuture<?> lock(DefaultLockTemplate template, Tried tried) {
		// the same key for all instances, as a database keeps a row for each key
		LockRequest request = LockRequest.of("start-check-" + tried.type())
			.withProvider(tried.provider())
			.withWaitTime(Duration.ZERO);
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

	private record Tried(String provider, LockType type) {
	}

}
