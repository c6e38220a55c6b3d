package io.distributedlock.sample.demonstration;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows the lock inside this JVM as {@code lock.held} and {@code lock.waiting} show the
 * distributed lock.
 */
class LockSwitchMeters implements MeterBinder {

	private final LockSwitch lockSwitch;

	LockSwitchMeters(LockSwitch lockSwitch) {
		this.lockSwitch = lockSwitch;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder("demo.lock.held", this.lockSwitch, LockSwitch::held).register(registry);
		Gauge.builder("demo.lock.waiting", this.lockSwitch, LockSwitch::waiting).register(registry);
	}

}
