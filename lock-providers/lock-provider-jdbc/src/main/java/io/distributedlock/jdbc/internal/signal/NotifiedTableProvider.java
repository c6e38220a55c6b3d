package io.distributedlock.jdbc.internal.signal;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;

/**
 * Locks in tables of a database that sends messages to waiters. Apart from
 * {@link NotifiedLockProvider}, as only tables say who has a key.
 */
public final class NotifiedTableProvider extends NotifiedLockProvider implements LockOwners {

	private final LockOwners owners;

	public <P extends LockProvider & LockOwners> NotifiedTableProvider(P delegate, PostgresReleases releases) {
		super(delegate, releases);
		this.owners = delegate;
	}

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return this.owners.owners(key);
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return this.owners.revoke(key, owner);
	}

}
