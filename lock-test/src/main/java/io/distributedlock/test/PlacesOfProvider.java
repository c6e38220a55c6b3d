package io.distributedlock.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;

/**
 * Sees the places that calls take in the queue of a provider, so that a case can wait
 * until the backend has confirmed one.
 */
final class PlacesOfProvider {

	private final List<LockQueue.Place> places = new CopyOnWriteArrayList<>();

	/**
	 * Return the provider, with all that it implements.
	 */
	LockProvider of(LockProvider provider) {
		return (LockProvider) Proxy.newProxyInstance(provider.getClass().getClassLoader(),
				interfaces(provider.getClass()), (proxy, method, arguments) -> {
					try {
						Object result = method.invoke(provider, arguments);
						if (result instanceof LockQueue.Place place) {
							this.places.add(place);
						}
						return result;
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	/**
	 * Return how many places wait behind others, as the backend has confirmed.
	 */
	long confirmed() {
		return this.places.stream().filter(LockQueue.Place::isBehindOthers).count();
	}

	private static Class<?>[] interfaces(Class<?> type) {
		Set<Class<?>> interfaces = new LinkedHashSet<>();
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			for (Class<?> implemented : each.getInterfaces()) {
				if (Modifier.isPublic(implemented.getModifiers())) {
					interfaces.add(implemented);
				}
			}
		}
		return interfaces.toArray(Class<?>[]::new);
	}

}
