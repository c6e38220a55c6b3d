package io.distributedlock.spring.support;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * Lets a native image see which optional libraries it has. Without these hints it would
 * have none of them: locks would end before the commit.
 */
class OptionalLibrariesRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		// also those that are missing: an image may refuse to look for a class without a
		// hint
		OptionalLibraries.CLASSES.forEach((name) -> hints.reflection().registerType(TypeReference.of(name)));
	}

}
