package io.distributedlock.autoconfigure.connection;

import java.util.List;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * The SSL bundle that a property names.
 *
 * @since 0.1
 */
public final class NamedSslBundle {

	private NamedSslBundle() {
	}

	/**
	 * Return the bundle.
	 * @param property the name of the property, for the message
	 * @param name the name of the bundle, {@code null} if the property is not set
	 * @param bundles the bundles of the application
	 * @return the bundle, {@code null} if none is named
	 * @throws InvalidLockSetupException if the application has no such bundle
	 */
	public static @Nullable SslBundle get(String property, @Nullable String name, ObjectProvider<SslBundles> bundles) {
		if (name == null) {
			return null;
		}
		SslBundles all = bundles.getIfAvailable();
		try {
			if (all != null) {
				return all.getBundle(name);
			}
		}
		catch (NoSuchSslBundleException ex) {
			throw missing(property, name, all.getBundleNames(), ex);
		}
		throw missing(property, name, List.of(), null);
	}

	private static InvalidLockSetupException missing(String property, String name, List<String> existing,
			@Nullable Throwable cause) {
		return new InvalidLockSetupException(
				"%s is '%s', but there is no SSL bundle with this name. Existing bundles: %s.".formatted(property, name,
						existing.isEmpty() ? "none" : existing),
				"Name an existing bundle, or declare this one: spring.ssl.bundle.pem.%1$s.* or spring.ssl.bundle.jks.%1$s.*"
					.formatted(name),
				cause);
	}

}
