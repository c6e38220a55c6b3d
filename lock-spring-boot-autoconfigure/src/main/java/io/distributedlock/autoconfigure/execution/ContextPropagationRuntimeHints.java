package io.distributedlock.autoconfigure.execution;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * Lets a native image see whether it has Micrometer's context propagation.
 */
class ContextPropagationRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection().registerType(TypeReference.of(LockExecutionAutoConfiguration.CONTEXT_PROPAGATION));
	}

}
