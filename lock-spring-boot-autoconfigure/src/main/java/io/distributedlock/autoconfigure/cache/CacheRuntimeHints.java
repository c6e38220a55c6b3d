package io.distributedlock.autoconfigure.cache;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Where JCache providers are named.
 */
class CacheRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		JCacheProviderListener.RESOURCES.forEach(hints.resources()::registerPattern);
	}

}
