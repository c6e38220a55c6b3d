package io.distributedlock.autoconfigure.endpoint;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the actuator endpoint of locks.
 *
 * @param showKeys How the endpoint shows the keys of locks, which may be personal data:
 * "hash" shows a number by which the same key is recognized, also on another node;
 * "never" shows nothing, "always" the full key.
 * @since 0.1
 */
@ConfigurationProperties("management.endpoint.locks")
public record LocksEndpointProperties(@DefaultValue("hash") ShowKeys showKeys) {

	/**
	 * How keys are shown.
	 */
	public enum ShowKeys {

		/**
		 * Not at all.
		 */
		NEVER,

		/**
		 * By their hash.
		 */
		HASH,

		/**
		 * As they are.
		 */
		ALWAYS

	}

}
