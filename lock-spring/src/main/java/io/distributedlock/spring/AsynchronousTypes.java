package io.distributedlock.spring;

import java.util.Arrays;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Knows what goes on after the method that returned it. The types of optional libraries
 * are known by their names.
 */
final class AsynchronousTypes {

	private static final Set<String> NAMES = Set.of("java.util.concurrent.Future",
			"java.util.concurrent.CompletionStage", "java.util.concurrent.Callable", "java.util.stream.BaseStream",
			"java.util.Iterator", "org.reactivestreams.Publisher", "java.util.concurrent.Flow$Publisher",
			"kotlin.sequences.Sequence", "kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.Job",
			"io.reactivex.rxjava3.core.SingleSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.CompletableSource",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private static final ClassValue<Boolean> KNOWN = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return NAMES.contains(type.getName())
					|| (type.getSuperclass() != null && AsynchronousTypes.isOne(type.getSuperclass()))
					|| Arrays.stream(type.getInterfaces()).anyMatch(AsynchronousTypes::isOne);
		}

	};

	private AsynchronousTypes() {
	}

	/**
	 * Return whether a type goes on, or is the response of a controller whose body does.
	 */
	static boolean contains(ResolvableType type) {
		Class<?> resolved = type.resolve(Object.class);
		return isOne(resolved) || (OptionalLibraries.WEB && HttpBodies.mayBe(resolved) && contains(type.getGeneric()));
	}

	/**
	 * Return what goes on of a value: itself, or its body. {@code null} if nothing does.
	 */
	static @Nullable Object find(@Nullable Object value) {
		Object inner = (OptionalLibraries.WEB && value != null) ? HttpBodies.of(value) : value;
		return (inner != null && isOne(inner.getClass())) ? inner : null;
	}

	private static boolean isOne(Class<?> type) {
		return KNOWN.get(type);
	}

}
