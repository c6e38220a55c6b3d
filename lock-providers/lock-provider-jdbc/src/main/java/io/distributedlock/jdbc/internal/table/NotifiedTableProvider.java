package io.distributedlock.jdbc.internal.table;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.distributedlock.LockCapability;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.signal.PostgresReleases;
import io.distributedlock.spi.ReleaseSignal;

/**
 * Locks in tables of a database that sends messages to waiters.
 */
public final class NotifiedTableProvider extends TableLockProvider implements ReleaseSignal {

	private final PostgresReleases releases;

	public NotifiedTableProvider(JdbcCalls calls, boolean byVersion, Duration sweepAfter, PostgresReleases releases) {
		super(calls, byVersion, sweepAfter, releases);
		this.releases = releases;
	}

	@Override
	public Set<LockCapability> capabilities() {
		Set<LockCapability> capabilities = EnumSet.of(LockCapability.BLOCKING_WAIT);
		capabilities.addAll(super.capabilities());
		return capabilities;
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		return this.releases.listen(key, onRelease);
	}

	@Override
	public void close() {
		this.releases.close();
		super.close();
	}

}
