package io.distributedlock.test;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Lets the cases of one class of the kit run beside each other, since each has keys and
 * nodes of its own. A case that stops the server they share has it alone, also among the
 * tests of a nested class.
 */
final class TurnsOnTheServer implements ResourceLocksProvider {

	@Override
	public Set<Lock> provideForMethod(List<Class<?>> enclosingInstanceTypes, Class<?> testClass, Method testMethod) {
		ResourceAccessMode mode = testMethod.isAnnotationPresent(NeedsServerAlone.class) ? ResourceAccessMode.READ_WRITE
				: ResourceAccessMode.READ;
		Class<?> kit = enclosingInstanceTypes.isEmpty() ? testClass : enclosingInstanceTypes.get(0);
		return Set.of(new Lock("server of " + kit.getName(), mode));
	}

}
