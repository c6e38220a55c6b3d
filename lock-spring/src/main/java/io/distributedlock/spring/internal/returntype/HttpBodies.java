package io.distributedlock.spring.internal.returntype;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpEntity;

/**
 * Reads the bodies of the responses of controllers.
 */
final class HttpBodies {

	private HttpBodies() {
	}

	static boolean mayBe(Class<?> type) {
		return HttpEntity.class.isAssignableFrom(type);
	}

	/**
	 * Return the body of a response. Any other value is returned unchanged.
	 */
	static @Nullable Object of(Object value) {
		return (value instanceof HttpEntity<?> entity) ? entity.getBody() : value;
	}

}
