package io.distributedlock.autoconfigure.health;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.BackendException;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * The health of one provider: whether its backend answers within the command time-out.
 * Until it has answered once, it is asked twice: the first question may also connect the
 * client, which takes longer just after the start of an application. Thread-safe.
 */
final class LockProviderHealth implements HealthIndicator {

	/**
	 * How much longer than the engine to wait for the answer, which comes on a thread
	 * that may be busy.
	 */
	private static final Duration GRACE = Duration.ofSeconds(1);

	private final DefaultLockTemplate template;

	private final String provider;

	private final Duration commandTimeout;

	private volatile boolean hasAnswered;

	/**
	 * Create the health of a provider.
	 * @param template asks the provider
	 * @param provider the name of the provider
	 * @param commandTimeout how long its answer may take
	 */
	LockProviderHealth(DefaultLockTemplate template, String provider, Duration commandTimeout) {
		this.template = template;
		this.provider = provider;
		this.commandTimeout = commandTimeout;
	}

	@Override
	public Health health() {
		Health health = ask();
		if (Status.DOWN.equals(health.getStatus()) && !this.hasAnswered) {
			health = ask();
		}
		return health;
	}

	private Health ask() {
		CompletableFuture<Duration> answer = this.template.backends().ping(this.provider);
		try {
			Duration took = answer.get(this.commandTimeout.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS);
			this.hasAnswered = true;
			// to a microsecond
			return details(Health.up())
				.withDetail("roundTripMs", TimeUnit.NANOSECONDS.toMicros(took.toNanos()) / 1000.0)
				.build();
		}
		catch (ExecutionException ex) {
			return failed((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (TimeoutException ex) {
			return failed(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return details(Health.unknown()).withDetail("error", "interrupted").build();
		}
	}

	private Health failed(Throwable failure) {
		if (failure instanceof UnsupportedOperationException) {
			return details(Health.unknown())
				.withDetail("reason", "The provider does not implement ping(), so it cannot be asked")
				.build();
		}
		// the message of another exception may quote an address with its password
		String message = (failure instanceof BackendException) ? ": " + failure.getMessage() : "";
		return details(Health.down()).withDetail("error", failure.getClass().getName() + message).build();
	}

	private Health.Builder details(Health.Builder health) {
		return health.withDetail("provider", this.provider);
	}

}
