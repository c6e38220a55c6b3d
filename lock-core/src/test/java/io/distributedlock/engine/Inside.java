package io.distributedlock.engine;

import io.distributedlock.engine.internal.key.CallsUnderWay;
import io.distributedlock.engine.internal.key.KeyLocks;
import io.distributedlock.engine.internal.lease.LeaseKeeper;
import io.distributedlock.engine.internal.lease.LeaseReleaser;
import io.distributedlock.engine.internal.runtime.Timers;

/**
 * What tests in the rooms of the engine see of a template.
 */
public record Inside(KeyLocks keys, CallsUnderWay calls, LeaseKeeper keeper, LeaseReleaser releaser, Timers timers) {

	public static Inside of(DefaultLockTemplate template) {
		return new Inside(template.keys, template.calls, template.keeper, template.releaser, template.timers);
	}

}
