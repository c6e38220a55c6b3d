package io.distributedlock.engine.internal.request;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.CommandLease;
import org.jspecify.annotations.Nullable;

/**
 * Grants every lock at once, whoever else has it, for an application whose locks are
 * switched off. Its leases have no fencing token and no end.
 */
public final class UnlockedProvider implements LockProvider {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "none";

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.values());
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return CompletableFuture.completedFuture(
				new CommandLease(request.key(), endless(), (leaseTime) -> CompletableFuture.completedFuture(endless()),
						() -> CompletableFuture.completedFuture(true)));
	}

	private static LeaseTerm endless() {
		return new LeaseTerm(System.nanoTime(), LockTimes.FOREVER);
	}

}
