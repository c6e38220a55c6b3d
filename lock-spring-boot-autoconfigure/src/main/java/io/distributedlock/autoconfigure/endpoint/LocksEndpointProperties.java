package io.distributedlock.autoconfigure.endpoint;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the actuator endpoint of locks.
 *
 * @since 0.1
 */
@ConfigurationProperties("management.endpoint.locks")
public class LocksEndpointProperties {

	/**
	 * How the endpoint shows the keys of locks, which may be personal data: "hash" shows
	 * a number by which the same key is recognized, also on another node; "never" shows
	 * nothing, "always" the full key.
	 */
	private ShowKeys showKeys = ShowKeys.HASH;

	public ShowKeys getShowKeys() {
		return this.showKeys;
	}

	public void setShowKeys(ShowKeys showKeys) {
		this.showKeys = showKeys;
	}

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
