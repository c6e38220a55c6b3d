package io.distributedlock.autoconfigure.connection;

import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Says in the log that a provider uses an address which nobody has set.
 *
 * @since 0.1
 */
public final class DefaultAddress {

	private static final Logger logger = LoggerFactory.getLogger(DefaultAddress.class);

	private DefaultAddress() {
	}

	/**
	 * Say it, unless one of the properties is set.
	 * @param environment has the properties
	 * @param provider the name of the provider
	 * @param address the address
	 * @param properties the names of the properties that set it
	 */
	public static void report(Environment environment, String provider, Object address, String... properties) {
		Binder binder = Binder.get(environment);
		if (Stream.of(properties).noneMatch((name) -> binder.bind(name, Bindable.listOf(String.class)).isBound())) {
			logger.info("Lock provider {} uses {}, the default, as {} is not set", provider, address,
					String.join(" or ", properties));
		}
	}

}
