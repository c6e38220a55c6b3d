package io.distributedlock.redis;

import java.nio.file.Path;

import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.contract.RedisTlsContract;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SslOptions;
import org.jspecify.annotations.Nullable;

class RedisTlsTests extends RedisTlsContract {

	@Override
	protected ProviderFactory.Node connect(String url, @Nullable Path trusted) {
		RedisClient client = Clients.client(url);
		if (trusted != null) {
			client.setOptions(ClientOptions.builder()
				.sslOptions(SslOptions.builder().jdkSslProvider().trustManager(trusted.toFile()).build())
				.build());
		}
		return new ProviderFactory.Node(new RedisLockProvider(client, Patience.LIMIT), () -> Clients.shutdown(client));
	}

}
