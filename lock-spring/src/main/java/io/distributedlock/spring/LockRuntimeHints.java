package io.distributedlock.spring;

import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLocks;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.annotation.ScheduledLock;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * What this module reads by reflection in any application. {@link LockedBeanAotProcessor}
 * adds what the locked beans of one application need.
 */
class LockRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		Stream.of(DistributedLock.class, DistributedLocks.class, DistributedSemaphore.class, ScheduledLock.class)
			.forEach((annotation) -> hints.reflection().registerType(annotation, MemberCategory.INVOKE_PUBLIC_METHODS));
		hints.reflection()
			.registerType(TypeReference.of(ProxyLayers.JDK_HANDLER),
					(handler) -> handler.withField(ProxyLayers.ADVISED));
		// without these an image would find none of these libraries, and locks would end
		// before the commit; also those that are missing: an image may refuse to look
		// for a class without a hint
		OptionalLibraries.CLASSES.forEach((name) -> hints.reflection().registerType(TypeReference.of(name)));
	}

}
