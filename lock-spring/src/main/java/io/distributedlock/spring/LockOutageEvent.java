package io.distributedlock.spring;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A provider is down, or answers again, or the template closes and watches it no more.
 * Published once for each, on a thread of the template's executor.
 *
 * @param provider the name of the provider
 * @param failure what it failed with; {@code null} at the end
 * @param lasted how long it was down; {@code null} if it is
 * @since 0.1
 */
public record LockOutageEvent(String provider, @Nullable Throwable failure, @Nullable Duration lasted) {

	/**
	 * Return whether the provider is down.
	 * @return {@code false} if it answers again
	 */
	public boolean isDown() {
		return this.failure != null;
	}

}
