package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.annotation.InvalidLockSetupException;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Refuses durations without a unit, as the annotations do. Spring Boot reads {@code 5} as
 * five milliseconds, but whoever writes it usually means seconds.
 */
final class DurationTexts {

	static final List<String> PROPERTIES = List.of("lock.wait-time", "lock.lease-time", "lock.lock-delay",
			"lock.hand-over.window", "lock.interop.polling", "lock.command-timeout", "lock.poll-interval",
			"lock.renewal.lease-time", "lock.shutdown-timeout", "lock.warn-after", "lock.redis.redlock.node-timeout",
			"lock.zookeeper.session-timeout", "lock.zookeeper.connection-timeout", "lock.jdbc.sweep-after");

	private DurationTexts() {
	}

	static void requireUnits(Environment environment) {
		Binder binder = Binder.get(environment);
		for (String property : PROPERTIES) {
			String text = binder.bind(property, String.class).orElse("").trim();
			if (text.matches("\\d+") && !text.matches("0+")) {
				throw new InvalidLockSetupException("%s is '%s', a number without a unit.".formatted(property, text),
						"Add the unit, such as 500ms, 30s, 5m or PT30S.", null);
			}
		}
	}

}
