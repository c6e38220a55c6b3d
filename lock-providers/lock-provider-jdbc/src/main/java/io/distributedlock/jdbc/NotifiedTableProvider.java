package io.distributedlock.jdbc;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;

/**
 * Locks in tables of a database that sends messages to waiters. Apart from
 * {@link NotifiedLockProvider}, as only tables say who has a key.
 */
final class NotifiedTableProvider extends NotifiedLockProvider implements LockOwners {

	private final LockOwners owners;

	NotifiedTableProvider(TableLockProvider delegate, PostgresReleases releases) {
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
