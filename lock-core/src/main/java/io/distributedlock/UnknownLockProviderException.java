package io.distributedlock;

import java.util.Collection;

/**
 * A request names a provider that the template does not have.
 *
 * @since 0.1
 */
public class UnknownLockProviderException extends InvalidLockRequestException {

	private static final long serialVersionUID = 1L;

	/**
	 * The name that the request gives.
	 */
	private final String provider;

	/**
	 * Create an exception.
	 * @param provider the name that the request gives
	 * @param existing the names of the providers that the template has
	 */
	public UnknownLockProviderException(String provider, Collection<String> existing) {
		super("There is no lock provider named '%s'. Existing providers: %s.".formatted(provider,
				existing.stream().sorted().toList()), "Correct the name, or configure this provider.");
		this.provider = provider;
	}

	/**
	 * Return the name of the provider that does not exist.
	 * @return the name that the request gives
	 */
	public String getProvider() {
		return this.provider;
	}

}
