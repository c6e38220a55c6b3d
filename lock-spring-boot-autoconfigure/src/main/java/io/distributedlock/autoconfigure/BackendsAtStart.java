package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.Failures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Refuses to start an application if the backend of a provider does not answer. Asks all
 * providers at the same time, so that the start waits for one command time-out at most.
 *
 * @param templates has the template that asks the providers; none in a test that has a
 * mock instead
 * @param providers the providers of the template
 */
record BackendsAtStart(ObjectProvider<DefaultLockTemplate> templates,
		List<LockProvider> providers) implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(BackendsAtStart.class);

	@Override
	public void afterSingletonsInstantiated() {
		this.templates.ifAvailable(this::requireAll);
	}

	private void requireAll(DefaultLockTemplate template) {
		Map<String, CompletableFuture<Duration>> answers = new LinkedHashMap<>();
		this.providers.forEach((provider) -> answers.put(provider.name(), template.backends().ping(provider.name())));
		answers.forEach(BackendsAtStart::require);
	}

	private static void require(String provider, CompletableFuture<Duration> answer) {
		try {
			answer.join();
		}
		catch (CompletionException ex) {
			Throwable failure = Failures.unwrap(ex);
			if (failure instanceof UnsupportedOperationException) {
				logger.info(
						"Lock provider {} cannot be asked whether its backend answers: it does not implement ping()",
						provider);
				return;
			}
			throw new LockConfigurationException(
					"The backend of lock provider %s does not answer, and lock.fail-fast is set: %s".formatted(provider,
							(failure instanceof BackendException) ? failure.getMessage()
									: failure.getClass().getName()),
					"Start the backend, or correct its address and credentials%s. To start without it, set lock.fail-fast=false: calls then fail with LockUnavailableException until it answers."
						.formatted(
								KnownProvider.of(provider).map(KnownProvider::settings).map(": "::concat).orElse("")),
					failure);
		}
	}

}
