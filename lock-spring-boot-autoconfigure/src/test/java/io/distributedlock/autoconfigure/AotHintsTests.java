package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.autoconfigure.endpoint.LocksEndpoint;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.ReflectionHintsPredicates;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a native image is told of the auto-configuration.
 */
class AotHintsTests {

	private static final ReflectionHintsPredicates REFLECTION = RuntimeHintsPredicates.reflection();

	@Test
	void propertiesThatAreNoBeansCanBeBound() {
		RuntimeHints hints = hints();
		String settings = "io.distributedlock.autoconfigure.redis.RedisSettings";
		for (Class<?> each : List.of(type(settings), type(settings + "$Sentinel"))) {
			assertThat(REFLECTION.onConstructorInvocation(each.getDeclaredConstructors()[0])).accepts(hints);
		}
	}

	@Test
	void optionalClassesAreLookedFor() {
		assertThat(REFLECTION.onType(TypeReference.of("io.micrometer.context.ContextSnapshot"))).accepts(hints());
		assertThat(REFLECTION
			.onType(TypeReference.of("org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails")))
			.accepts(hints());
	}

	@Test
	void jcacheProvidersAreFound() {
		assertThat(RuntimeHintsPredicates.resource().forResource("META-INF/services/javax.cache.spi.CachingProvider"))
			.accepts(hints());
		assertThat(
				RuntimeHintsPredicates.resource().forResource("org/redisson/spring/starter/RedissonProperties.class"))
			.accepts(hints());
	}

	/**
	 * Spring Boot does this for all endpoints.
	 */
	@Test
	void endpointCanBeWritten() {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, LocksEndpoint.class);
		assertThat(REFLECTION.onMethodInvocation(LocksEndpoint.class, "locks")).accepts(hints);
		assertThat(REFLECTION.onMethodInvocation(LocksEndpoint.HeldDescriptor.class, "fencingToken")).accepts(hints);
	}

	private static Class<?> type(String name) {
		try {
			return Class.forName(name);
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static RuntimeHints hints() {
		RuntimeHints hints = new RuntimeHints();
		AotServices.factories()
			.load(RuntimeHintsRegistrar.class)
			.asList()
			.stream()
			.filter((each) -> each.getClass().getName().startsWith("io.distributedlock.autoconfigure"))
			.forEach((each) -> each.registerHints(hints, AotHintsTests.class.getClassLoader()));
		return hints;
	}

}
