package io.distributedlock.spring.returntype;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpEntity;

/**
 * Looks into the responses of controllers.
 */
final class HttpBodies {

	private HttpBodies() {
	}

	static boolean mayBe(Class<?> type) {
		return HttpEntity.class.isAssignableFrom(type);
	}

	/**
	 * Return the body of a response, and any other value as it is.
	 */
	static @Nullable Object of(Object value) {
		return (value instanceof HttpEntity<?> entity) ? entity.getBody() : value;
	}

}
