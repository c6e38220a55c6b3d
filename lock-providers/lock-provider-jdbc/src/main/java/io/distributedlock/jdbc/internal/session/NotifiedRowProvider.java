package io.distributedlock.jdbc.internal.session;

import java.time.Duration;
import java.util.Set;

import io.distributedlock.LockCapability;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.signal.PostgresReleases;
import io.distributedlock.spi.ReleaseSignal;

/**
 * Row locks of a database that sends messages to waiters.
 */
public final class NotifiedRowProvider extends SessionLockProvider implements ReleaseSignal {

	private final PostgresReleases releases;

	/**
	 * Create a provider.
	 * @param maxLockConnections how many connections hold locks at a time
	 * @param sweepAfter how long a row that nobody uses is kept
	 * @param releases the messages of releases
	 */
	public NotifiedRowProvider(JdbcCalls calls, int maxLockConnections, Duration sweepAfter,
			PostgresReleases releases) {
		super(calls, new RowLocks(calls.dialect()), maxLockConnections, sweepAfter);
		this.releases = releases;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return TOLD_CAPABILITIES;
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
