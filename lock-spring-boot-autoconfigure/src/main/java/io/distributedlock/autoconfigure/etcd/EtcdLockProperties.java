package io.distributedlock.autoconfigure.etcd;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of locks on etcd.
 *
 * @param endpoints URLs of the servers, such as "http://etcd1:2379", or "https://" for
 * TLS; by default "http://localhost:2379". Not used if the application has its own jetcd
 * Client bean.
 * @param prefix What every key of a lock starts with on etcd. It comes before
 * lock.key-prefix.
 * @param username User for the v3 authentication of etcd. By default connections do not
 * authenticate.
 * @param password Password of the user for authentication.
 * @param sslBundle Name of the SSL bundle for "https://" URLs. By default the
 * certificates of the JVM are used.
 * @since 0.1
 */
@ConfigurationProperties("lock.etcd")
public record EtcdLockProperties(@DefaultValue("http://localhost:2379") List<String> endpoints,
		@DefaultValue("distributed-lock/") String prefix, @Nullable String username, @Nullable String password,
		@Nullable String sslBundle) {

	@Override
	public String toString() {
		// without the password
		return "EtcdLockProperties[endpoints=%s, prefix=%s]".formatted(this.endpoints, this.prefix);
	}

}
