package io.distributedlock.redisson;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;

import javax.net.ssl.TrustManagerFactory;

import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.server.contract.RedisTlsContract;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

class RedissonTlsTests extends RedisTlsContract {

	@Override
	protected ProviderFactory.Node connect(String url, @Nullable Path trusted) throws Exception {
		Config config = Clients.config(url);
		config.setLazyInitialization(true);
		if (trusted != null) {
			config.setSslTrustManagerFactory(trust(trusted));
		}
		RedissonClient client = Redisson.create(config);
		return new ProviderFactory.Node(new RedissonLockProvider(client), client::shutdown);
	}

	private static TrustManagerFactory trust(Path certificate) throws Exception {
		KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
		store.load(null, null);
		try (InputStream in = Files.newInputStream(certificate)) {
			store.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(in));
		}
		TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		factory.init(store);
		return factory;
	}

}
