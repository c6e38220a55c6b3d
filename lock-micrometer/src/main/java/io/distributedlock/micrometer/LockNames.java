package io.distributedlock.micrometer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.common.KeyValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of locks as the tag of a meter: not more than some hundreds, whatever names
 * an application gives. A monitoring system keeps a time series for each.
 */
final class LockNames {

	/**
	 * What stands for all names beyond the limit.
	 */
	static final String OTHER = "other";

	static final int LIMIT = 500;

	private static final Logger logger = LoggerFactory.getLogger(LockNames.class);

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Return the value of the tag for a name.
	 * @param name the name of a lock, empty if it has none
	 */
	String tagOf(String name) {
		if (name.isEmpty()) {
			return KeyValue.NONE_VALUE;
		}
		// several threads may pass the limit together, by one name each
		if (this.known.contains(name) || (this.known.size() < LIMIT && this.known.add(name))) {
			return name;
		}
		if (this.warned.compareAndSet(false, true)) {
			logger.warn("There are more than {} names of locks. Meters show the further ones, such as '{}', as '{}'. "
					+ "Give many locks one name, and put what differs into the key", LIMIT, name, OTHER);
		}
		return OTHER;
	}

}
