package io.distributedlock.autoconfigure.redis;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

/**
 * Lets a native image find out where Redis is. {@link RedisSettings} are no bean, so
 * Spring Boot does not know them.
 */
class RedisSettingsRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		BindableRuntimeHintsRegistrar.forTypes(RedisSettings.class).registerHints(hints, classLoader);
		hints.reflection().registerType(TypeReference.of(RedisTopologySource.DETAILS));
		hints.reflection().registerType(TypeReference.of(RedisTopologySource.BOOT_3_DETAILS));
	}

}
