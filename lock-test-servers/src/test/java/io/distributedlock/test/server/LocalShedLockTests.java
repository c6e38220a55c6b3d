package io.distributedlock.test.server;

import java.time.Duration;
import java.util.List;

import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.contract.ShedLockContract;

class LocalShedLockTests extends ShedLockContract {

	@Override
	protected ProviderSource source() {
		return ProviderSource.inThisJvm(Factory.class);
	}

	/**
	 * Nodes share the provider object.
	 */
	public static final class Factory implements ProviderFactory {

		private static final LocalLockProvider SHARED = new LocalLockProvider();

		@Override
		public Node create(List<String> arguments, Duration commandTimeout) {
			return new Node(SHARED);
		}

	}

}
