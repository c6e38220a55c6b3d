package io.distributedlock.jdbc;

import java.util.Set;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.ReleaseSignal;

/**
 * Rows of a database that sends messages.
 */
final class SignalledTableLockProvider extends TableLockProvider implements ReleaseSignal {

	private final PostgresReleases releases;

	SignalledTableLockProvider(JdbcCalls calls, JdbcLockSettings settings) {
		super(calls, settings);
		this.releases = new PostgresReleases(calls);
	}

	@Override
	public Set<LockCapability> capabilities() {
		Set<LockCapability> capabilities = super.capabilities();
		capabilities.add(LockCapability.BLOCKING_WAIT);
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
