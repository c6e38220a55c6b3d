package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;

/**
 * Recognizes methods that go on after they have returned, by names: their types need not
 * be on the class path.
 */
final class AsynchronousTypes {

	private static final Set<String> PUBLISHERS = Set.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", "kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.Job",
			"io.reactivex.rxjava3.core.SingleSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.CompletableSource");

	private AsynchronousTypes() {
	}

	static boolean contain(Method method) {
		Class<?> type = method.getReturnType();
		return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
				|| KotlinDetector.isSuspendingFunction(method) || isPublisher(type);
	}

	private static boolean isPublisher(@Nullable Class<?> type) {
		return type != null && (PUBLISHERS.contains(type.getName()) || isPublisher(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(AsynchronousTypes::isPublisher));
	}

}
