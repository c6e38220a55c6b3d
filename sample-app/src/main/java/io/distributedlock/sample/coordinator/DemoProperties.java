package io.distributedlock.sample.coordinator;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the demonstration.
 *
 * @param duration how long it runs, half of the time without and half of it with the
 * lock; by default it runs until it is stopped
 * @param nodes how many nodes it starts
 * @param alternate how long it runs without the lock, and then with it, if no duration is
 * set
 */
@ConfigurationProperties("demo")
record DemoProperties(@Nullable Duration duration, @DefaultValue("3") int nodes,
		@DefaultValue("15s") Duration alternate) {
}
