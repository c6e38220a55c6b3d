package io.distributedlock.autoconfigure.redis;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.mock.env.MockEnvironment;

import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Reads topologies from properties below {@code spring.data.redis}.
 */
final class RedisTopologies {

	private RedisTopologies() {
	}

	static RedisTopology of(String... pairs) {
		return of(new DefaultSslBundleRegistry(), pairs);
	}

	@SuppressWarnings("unchecked")
	static RedisTopology of(SslBundles bundles, String... pairs) {
		MockEnvironment environment = new MockEnvironment();
		for (int i = 0; i < pairs.length; i += 2) {
			environment.setProperty("spring.data.redis." + pairs[i], pairs[i + 1]);
		}
		ObjectProvider<SslBundles> provider = mock();
		given(provider.getIfAvailable()).willReturn(bundles);
		return RedisTopology.read(environment, provider);
	}

}
