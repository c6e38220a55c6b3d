package io.distributedlock.autoconfigure.redis;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.redis.RedisTopology.Credentials;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;

/**
 * What a bean of connection details says. Its type is another one in each generation of
 * Spring Boot.
 *
 * @param servers the servers; {@code null} if it names a primary with replicas only
 * @param credentials the credentials
 * @param database the number of the database
 * @param sslBundle the certificates for TLS; {@code null} without TLS
 */
record ConnectionDetails(RedisTopology.@Nullable Servers servers, @Nullable Credentials credentials, int database,
		@Nullable SslBundle sslBundle) {

	/**
	 * Return where Redis is. Times and the name of the client come from the properties.
	 */
	RedisTopology topology(RedisTopology properties) {
		if (this.servers == null) {
			throw new InvalidLockSetupException(
					"The bean of connection details for Redis names neither a server nor sentinels nor a cluster, as locks on Redis need it.",
					"Let the bean name one of them; or declare a RedissonClient or a client of Lettuce as a bean.",
					null);
		}
		return new RedisTopology(this.servers, this.credentials, this.database, this.sslBundle != null, this.sslBundle,
				properties.clientName(), properties.timeout(), properties.connectTimeout());
	}

}
