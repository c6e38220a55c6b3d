package io.distributedlock.spring.internal.operation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of beans of two classes that share a lock because both inherit its annotation,
 * which names the lock after the method that it stands on. Nobody has written that they
 * exclude each other. Thread-safe.
 */
final class SharedNames {

	private static final Logger logger = LoggerFactory.getLogger(SharedNames.class);

	/**
	 * The class that had a default name first; {@code Object} after the warning.
	 */
	private final Map<String, Class<?>> owners = new ConcurrentHashMap<>();

	void note(LockAttributes attributes) {
		Class<?> type = attributes.userClass();
		if (attributes.nameOfMethod().isEmpty() || attributes.raw("key").contains("target")
				|| LockAttributes.isMadeAtRunTime(type)) {
			return;
		}
		this.owners.merge(attributes.defaultName(), type, (first, second) -> {
			if (first == second || first == Object.class) {
				return first;
			}
			logger.warn(
					"{} and {} share the lock {}, since both inherit an annotation without a name. If they should not exclude each other, write #root.targetClass.name into its key; otherwise give it a name",
					first.getName(), second.getName(), attributes.defaultName());
			return Object.class;
		});
	}

}
