package io.distributedlock.spring.internal.returntype;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.distributedlock.spring.internal.support.OptionalLibraries;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;

/**
 * Knows the types whose values go on after the method has returned them, such as futures.
 * The types of optional libraries are known by their names.
 */
public final class AsynchronousTypes {

	private static final Set<String> NAMES = Set.of("java.util.concurrent.Future",
			"java.util.concurrent.CompletionStage", "java.util.concurrent.Callable", "java.util.stream.BaseStream",
			"java.util.Iterator", "org.reactivestreams.Publisher", "java.util.concurrent.Flow$Publisher",
			"kotlin.sequences.Sequence", "kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.Job",
			"io.vertx.core.Future", "scala.concurrent.Future", "io.vavr.concurrent.Future", "io.smallrye.mutiny.Uni",
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
	 * How deep types are searched. There must be a limit, since a class may be a
	 * collection of itself; 8 is more than real types need.
	 */
	private static final int DEEPEST = 8;

	/**
	 * The types of all versions of RxJava from 2 on, other than its publishers.
	 */
	private static final Pattern OF_RXJAVA = Pattern
		.compile("io\\.reactivex\\.(\\w+\\.core\\.)?(Single|Maybe|Observable|Completable)Source");

	private static final ClassValue<Boolean> GOES_ON = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return NAMES.contains(type.getName()) || OF_RXJAVA.matcher(type.getName()).matches()
					|| (type.getSuperclass() != null && get(type.getSuperclass()))
					|| Arrays.stream(type.getInterfaces()).anyMatch(this::get);
		}

	};

	private AsynchronousTypes() {
	}

	/**
	 * Return whether values of a type go on, or contain a value that does: in the body of
	 * a response, in an {@link Optional} or in a collection.
	 * @param type the type
	 * @return whether something continues after the method has returned
	 */
	public static boolean contains(ResolvableType type) {
		return contains(type, 0);
	}

	private static boolean contains(ResolvableType type, int depth) {
		Class<?> resolved = type.resolve(Object.class);
		return GOES_ON.get(resolved) || (depth < DEEPEST
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
		return isWrapper(resolved) ? type.getGenerics() : new ResolvableType[0];
	}

	/**
	 * Return whether a value may go on although its declared type does not say so: the
	 * type is {@code Object} or an interface. Each value must be checked then.
	 * @param type the declared type
	 * @return whether to check each value
	 */
	public static boolean mayTurnOut(ResolvableType type) {
		Class<?> resolved = type.resolve(Object.class);
		return isWrapper(resolved) ? mayTurnOut(type.getGeneric()) : resolved == Object.class || resolved.isInterface();
	}

	private static boolean isWrapper(Class<?> type) {
		return type == Optional.class || (OptionalLibraries.WEB && HttpBodies.mayBe(type));
	}

	/**
	 * Require that a returned value does not go on although the declared type does not
	 * say so.
	 * @param value the value
	 * @param method gives the name of the method for a message
	 * @return the value
	 * @throws IllegalStateException if the value goes on
	 */
	public static @Nullable Object requireEnded(@Nullable Object value, Supplier<String> method) {
		Object goesOn = find(value);
		if (goesOn != null) {
			throw new IllegalStateException(
					"%s returned a %s, which continues after the method has returned and its lock is released. Declare CompletableFuture, Mono or Flux as the return type, so that the lock is held until it has ended, or use LockTemplate inside the method"
						.formatted(method.get(), goesOn.getClass().getName()));
		}
		return value;
	}

	/**
	 * Return the value that goes on: the value itself, its body, or the value in an
	 * {@link Optional}. {@code null} if none does.
	 */
	private static @Nullable Object find(@Nullable Object value) {
		Object inner = value;
		if (value instanceof Optional<?> optional) {
			inner = optional.orElse(null);
		}
		else if (OptionalLibraries.WEB && value != null) {
			inner = HttpBodies.of(value);
		}
		return (inner != null && GOES_ON.get(inner.getClass())) ? inner : null;
	}

	/**
	 * The responses of controllers, in a class that is loaded only where their type is.
	 */
	private static final class HttpBodies {

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

}
