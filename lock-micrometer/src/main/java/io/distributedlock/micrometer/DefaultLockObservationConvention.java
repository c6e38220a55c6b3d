package io.distributedlock.micrometer;

import java.util.Locale;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * The default names and tags of observations. Names: {@code lock.acquire} and
 * {@code lock.hold}. Tags of low cardinality, for meters and traces: {@code lock.name},
 * {@code lock.provider}, {@code lock.type}, {@code lock.outcome}. Of high cardinality,
 * for traces only: {@code lock.fencing.token}, and {@code lock.key} if it is switched on.
 * Thread-safe.
 *
 * @since 0.1
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	private final boolean withKey;

	/**
	 * Create a convention.
	 * @param withKey whether traces show the full key. A key may be personal data
	 */
	public DefaultLockObservationConvention(boolean withKey) {
		this.withKey = withKey;
	}

	@Override
	public String getName(LockObservationContext.Phase phase) {
		return "lock." + phase.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public String getContextualName(LockObservationContext context) {
		return getName(context.getPhase()) + " " + context.getLockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		return KeyValues.of(KeyValue.of("lock.name", context.getLockName()),
				KeyValue.of("lock.provider", context.getLock().provider()),
				KeyValue.of("lock.type", context.getLock().type().name().toLowerCase(Locale.ROOT)),
				KeyValue.of("lock.outcome", context.getOutcome().name().toLowerCase(Locale.ROOT)));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		KeyValues values = KeyValues.empty();
		if (this.withKey) {
			values = values.and("lock.key", context.getLock().key());
		}
		if (context.getFencingToken().isPresent()) {
			values = values.and("lock.fencing.token", Long.toString(context.getFencingToken().getAsLong()));
		}
		return values;
	}

}
