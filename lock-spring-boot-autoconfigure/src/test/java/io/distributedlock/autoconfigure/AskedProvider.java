package io.distributedlock.autoconfigure;

import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * A provider whose answer to a ping is given.
 */
public final class AskedProvider implements LockProvider {

	private final LocalLockProvider locks = new LocalLockProvider();

	private final CompletionStage<?> answer;

	/**
	 * Create a provider.
	 * @param answer the answer to each ping
	 */
	public AskedProvider(CompletionStage<?> answer) {
		this.answer = answer;
	}

	@Override
	public String name() {
		return "asked";
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of();
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return this.locks.tryAcquire(request);
	}

	@Override
	public CompletionStage<?> ping() {
		return this.answer;
	}

}
