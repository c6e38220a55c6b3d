package io.distributedlock.sample.coordinator;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How to run the demonstration.
 *
 * @param duration how long, half of it without and half of it with the lock; until it is
 * stopped by default
 * @param nodes how many nodes
 * @param alternate how long each half is where there is no duration
 */
@ConfigurationProperties("demo")
record DemoProperties(@Nullable Duration duration, @DefaultValue("3") int nodes,
		@DefaultValue("15s") Duration alternate) {
}
