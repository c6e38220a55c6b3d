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

/**
 * The health of one provider: whether its backend answers within the command time-out.
 *
 * @param template asks the provider
 * @param provider the name of the provider
 * @param commandTimeout how long its answer may take
 */
record LockProviderHealth(DefaultLockTemplate template, String provider,
		Duration commandTimeout) implements HealthIndicator {

	/**
	 * How much longer than the engine to wait for the answer, which comes on a thread
	 * that may be busy.
	 */
	private static final Duration GRACE = Duration.ofSeconds(1);

	@Override
	public Health health() {
		CompletableFuture<Duration> answer = this.template.backends().ping(this.provider);
		try {
			Duration took = answer.get(this.commandTimeout.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS);
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
