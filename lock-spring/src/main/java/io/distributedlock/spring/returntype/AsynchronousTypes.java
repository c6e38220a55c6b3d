package io.distributedlock.spring.returntype;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import io.distributedlock.spring.support.OptionalLibraries;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Knows what goes on after the method that returned it. The types of optional libraries
 * are known by their names. Internal: public only for the other packages of this module.
 */
public final class AsynchronousTypes {

	private static final Set<String> NAMES = Set.of("java.util.concurrent.Future",
			"java.util.concurrent.CompletionStage", "java.util.concurrent.Callable", "java.util.stream.BaseStream",
			"java.util.Iterator", "org.reactivestreams.Publisher", "java.util.concurrent.Flow$Publisher",
			"kotlin.sequences.Sequence", "kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.Job",
			"io.reactivex.rxjava3.core.SingleSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.CompletableSource",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
			"org.springframework.web.servlet.function.AsyncServerResponse",
			"org.springframework.web.servlet.function.SseServerResponse",
			"org.springframework.web.servlet.function.StreamingServerResponse",
			"org.springframework.web.servlet.function.DefaultEntityResponseBuilder$CompletionStageEntityResponse",
			"org.springframework.web.servlet.function.DefaultEntityResponseBuilder$PublisherEntityResponse");

	/**
	 * How deep types are looked into: a class may be a collection of itself.
	 */
	private static final int DEEPEST = 8;

	private static final ResolvableType[] NONE = {};

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
	 * Return whether a type goes on, or has something in it that does: the body of a
	 * response, what an {@link Optional} or a collection holds.
	 * @param type the type
	 * @return whether something goes on
	 */
	public static boolean contains(ResolvableType type) {
		return contains(type, 0);
	}

	private static boolean contains(ResolvableType type, int depth) {
		Class<?> resolved = type.resolve(Object.class);
		return isOne(resolved) || (depth < DEEPEST
				&& Arrays.stream(parts(type, resolved)).anyMatch((part) -> contains(part, depth + 1)));
	}

	private static ResolvableType[] parts(ResolvableType type, Class<?> resolved) {
		if (resolved.isArray()) {
			return new ResolvableType[] { type.getComponentType() };
		}
		if (Iterable.class.isAssignableFrom(resolved)) {
			return type.as(Iterable.class).getGenerics();
		}
		if (Map.class.isAssignableFrom(resolved)) {
			return type.as(Map.class).getGenerics();
		}
		return isWrapper(resolved) ? type.getGenerics() : NONE;
	}

	/**
	 * Return whether a value of a type may turn out to go on, where {@link #contains}
	 * says that the type itself does not.
	 * @param type the type
	 * @return whether a value is to be looked at
	 */
	public static boolean mayTurnOut(ResolvableType type) {
		Class<?> resolved = type.resolve(Object.class);
		return isWrapper(resolved) ? mayTurnOut(type.getGeneric()) : resolved == Object.class || resolved.isInterface();
	}

	private static boolean isWrapper(Class<?> type) {
		return type == Optional.class || (OptionalLibraries.WEB && HttpBodies.mayBe(type));
	}

	/**
	 * Require that nothing of what a method gave goes on: what the declared type does not
	 * show is found when it is there.
	 * @param value the value
	 * @param method gives the method for a message
	 * @throws IllegalStateException if something does
	 */
	public static void requireEnded(@Nullable Object value, Supplier<String> method) {
		Object goesOn = find(value);
		if (goesOn != null) {
			throw new IllegalStateException(
					"%s returned a %s, which goes on after the method has returned, without the lock. Its return type does not say so: declare CompletableFuture, Mono or Flux, to which the lock is held to the end, or use LockTemplate inside"
						.formatted(method.get(), goesOn.getClass().getName()));
		}
	}

	/**
	 * Return what goes on of a value: itself, its body, or what is in an
	 * {@link Optional}. {@code null} if nothing does.
	 */
	private static @Nullable Object find(@Nullable Object value) {
		Object inner = value;
		if (value instanceof Optional<?> optional) {
			inner = optional.orElse(null);
		}
		else if (OptionalLibraries.WEB && value != null) {
			inner = HttpBodies.of(value);
		}
		return (inner != null && isOne(inner.getClass())) ? inner : null;
	}

	private static boolean isOne(Class<?> type) {
		return KNOWN.get(type);
	}

}
