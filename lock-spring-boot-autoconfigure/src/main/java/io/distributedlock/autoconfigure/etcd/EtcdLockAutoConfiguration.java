package io.distributedlock.autoconfigure.etcd;

import java.nio.charset.StandardCharsets;
import java.util.List;

import javax.net.ssl.SSLException;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.autoconfigure.connection.DefaultAddress;
import io.distributedlock.autoconfigure.connection.NamedSslBundle;
import io.distributedlock.autoconfigure.connection.SignIn;
import io.distributedlock.etcd.EtcdClients;
import io.distributedlock.etcd.EtcdLockProvider;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of locks on etcd. It uses the application's jetcd {@link Client} if
 * there is one, otherwise a client that is created from {@code lock.etcd.*}.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ Client.class, EtcdLockProvider.class })
@ConditionalOnLockProvider(EtcdLockProvider.NAME)
@EnableConfigurationProperties({ LockProperties.class, EtcdLockProperties.class })
public final class EtcdLockAutoConfiguration {

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean
	Client distributedLockEtcdClient(EtcdLockProperties properties, LockProperties lock,
			ObjectProvider<SslBundles> sslBundles, Environment environment) {
		DefaultAddress.report(environment, EtcdLockProvider.NAME, properties.endpoints(), "lock.etcd.endpoints");
		ClientBuilder builder = endpoints(EtcdClients.forLocks(Client.builder(), lock.commandTimeout()),
				properties.endpoints());
		SignIn signIn = SignIn.of("lock.etcd", properties.username(), properties.password());
		if (signIn != null) {
			builder.user(bytes(signIn.username())).password(bytes(signIn.password()));
		}
		SslBundle bundle = NamedSslBundle.get("lock.etcd.ssl-bundle", properties.sslBundle(), sslBundles);
		if (bundle != null) {
			useTls(builder, bundle);
		}
		return builder.build();
	}

	@Bean
	@ConditionalOnMissingBean
	EtcdLockProvider distributedLockProviderEtcd(Client client, EtcdLockProperties properties, LockProperties lock) {
		return new EtcdLockProvider(client, properties.prefix(), lock.commandTimeout());
	}

	private static ClientBuilder endpoints(ClientBuilder builder, List<String> endpoints) {
		try {
			return builder.endpoints(endpoints.toArray(String[]::new));
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockSetupException(
					"lock.etcd.endpoints is not a list of addresses of etcd: %s.".formatted(endpoints),
					"Write http://host:port, such as http://etcd1:2379, or https:// for TLS.", ex);
		}
	}

	private static void useTls(ClientBuilder builder, SslBundle bundle) {
		try {
			builder.sslContext((context) -> {
				context.trustManager(bundle.getManagers().getTrustManagerFactory());
				if (bundle.getStores().getKeyStore() != null) {
					context.keyManager(bundle.getManagers().getKeyManagerFactory());
				}
			});
		}
		catch (SSLException ex) {
			throw new InvalidLockSetupException(
					"The provider 'etcd' cannot use the SSL bundle that lock.etcd.ssl-bundle names.",
					"Check the certificates and keys of the bundle under spring.ssl.bundle.", ex);
		}
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

}
