package io.distributedlock.jdbc.internal.signal;

import java.lang.reflect.Method;
import java.util.Arrays;

import io.distributedlock.spi.LockProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The provider with messages says of itself what the provider behind it says.
 */
class NotifiedLockProviderTests {

	@Test
	void nothingIsLeftToTheDefaultsOfTheInterface() {
		assertThat(LockProvider.class.getMethods())
			.allSatisfy((method) -> assertThat(overrides(method)).as(method.getName()).isTrue());
	}

	private static boolean overrides(Method method) {
		return Arrays.stream(NotifiedLockProvider.class.getDeclaredMethods())
			.anyMatch((own) -> own.getName().equals(method.getName())
					&& Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
	}

}
