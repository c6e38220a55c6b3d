package io.distributedlock.autoconfigure.health;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.LockTemplate;
import io.distributedlock.UnknownLockProviderException;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.autoconfigure.LockTemplates;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockProvider;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The health of one provider: whether its backend answers within the command time-out.
 * The first time it is asked twice if need be: the first question may also connect the
 * client, which takes longer just after the start of an application. Thread-safe.
 * <p>
 * The types of health are others in each generation of Spring Boot:
 * {@link Boot4LockHealth} and {@link Boot3LockHealth} translate.
 *
 * @param template asks the provider
 * @param provider the name of the provider
 * @param commandTimeout how long its answer may take
 * @param asked whether it was asked before
 */
record LockProviderHealth(DefaultLockTemplate template, String provider, Duration commandTimeout, AtomicBoolean asked) {

	/**
	 * How much longer than the engine to wait for the answer, which comes on a thread
	 * that may be busy.
	 */
	private static final Duration GRACE = Duration.ofSeconds(1);

	private static final String DOWN = "DOWN";

	private static final String UNKNOWN = "UNKNOWN";

	/**
	 * Return the health of each provider of an application, by its name; with the number
	 * of its template if an earlier one calls a provider the same.
	 */
	static Map<String, LockProviderHealth> ofAll(ListableBeanFactory beans, ObjectProvider<LockProvider> providers,
			LockProperties properties) {
		Map<String, LockProviderHealth> all = new LinkedHashMap<>();
		List<DefaultLockTemplate> templates = LockTemplates
			.of(BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, LockTemplate.class, false, true).values());
		for (DefaultLockTemplate each : templates) {
			String number = "-" + (templates.indexOf(each) + 1);
			each.backends()
				.providers()
				.forEach((name) -> all.put(all.containsKey(name) ? name + number : name,
						new LockProviderHealth(each, name, properties.commandTimeout(), new AtomicBoolean())));
		}
		templates.stream()
			.findFirst()
			.ifPresent((first) -> providers.orderedStream()
				.map(LockProvider::name)
				.forEach((name) -> all.putIfAbsent(name,
						new LockProviderHealth(first, name, properties.commandTimeout(), new AtomicBoolean()))));
		return all;
	}

	Answer health() {
		boolean first = this.asked.compareAndSet(false, true);
		Answer answer = ask();
		return (first && answer.status().equals(DOWN)) ? ask() : answer;
	}

	private Answer ask() {
		try {
			CompletableFuture<Duration> answer = this.template.backends().ping(this.provider);
			Duration took = answer.get(this.commandTimeout.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS);
			// to a microsecond
			return answer("UP", "roundTripMs", TimeUnit.NANOSECONDS.toMicros(took.toNanos()) / 1000.0);
		}
		catch (UnknownLockProviderException ex) {
			// an exception would take all of the endpoint away
			return answer(UNKNOWN, "reason", "The LockTemplate of the application does not use this provider");
		}
		catch (ExecutionException | TimeoutException ex) {
			return failed((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return answer(UNKNOWN, "error", "interrupted");
		}
	}

	private Answer failed(Throwable failure) {
		if (failure instanceof UnsupportedOperationException) {
			return answer(UNKNOWN, "reason", "The provider does not implement ping(), so it cannot be asked");
		}
		// the message of another exception may quote an address with its password
		String message = (failure instanceof BackendException) ? ": " + failure.getMessage() : "";
		return answer(DOWN, "error", failure.getClass().getName() + message);
	}

	private Answer answer(String status, String detail, Object value) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("provider", this.provider);
		details.put(detail, value);
		return new Answer(status, details);
	}

	/**
	 * What Spring Boot's health consists of.
	 *
	 * @param status the code of the status
	 * @param details the details
	 */
	record Answer(String status, Map<String, Object> details) {
	}

}
