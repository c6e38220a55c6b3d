package io.distributedlock.autoconfigure;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

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

	private final Supplier<? extends CompletionStage<?>> answers;

	/**
	 * Create a provider.
	 * @param answers gives the answer to each ping
	 */
	public AskedProvider(Supplier<? extends CompletionStage<?>> answers) {
		this.answers = answers;
	}

	@Override
	public String name() {
		return "asked";
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return this.locks.tryAcquire(request);
	}

	@Override
	public CompletionStage<?> ping() {
		return this.answers.get();
	}

}
