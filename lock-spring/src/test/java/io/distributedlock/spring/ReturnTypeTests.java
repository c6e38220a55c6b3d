package io.distributedlock.spring;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.spring.internal.returntype.AsynchronousTypes;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.asm.ClassWriter;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The return type of a method is resolved in the class of the bean. If its value goes on
 * after the method has returned, the lock is held until it has ended, or the type is
 * refused.
 */
class ReturnTypeTests {

	private static final List<Object> GOES_ON = List.of(new CompletableFuture<>(), Mono.empty(), Flux.empty(),
			Stream.of(1), List.of(1).iterator(), new FutureTask<>(() -> 1), ResponseEntity.ok(Mono.empty()),
			Optional.of(Stream.of(1)));

	private final RecordingProvider provider = new RecordingProvider();

	private AnnotationConfigApplicationContext context;

	@AfterEach
	void close() {
		if (this.context != null) {
			this.context.close();
		}
		assertThat(LockContext.find()).isEmpty();
	}

	/**
	 * Return a bean of a new context, which takes the place of the one before it: woven
	 * methods use the newest context that is open, also in tests that run later.
	 */
	private <T> T bean(Class<T> type) {
		if (this.context != null) {
			this.context.close();
		}
		this.context = Contexts.open(this.provider, false, type);
		return this.context.getBean(type);
	}

	@Test
	void futureOfAGenericBaseIsHeldToItsEnd() {
		OfFutures handler = bean(OfFutures.class);
		CompletableFuture<String> work = new CompletableFuture<>();
		handler.returning(work);
		CompletableFuture<String> result = handler.handle("1");
		Patience.await().until(() -> !this.provider.keys().isEmpty());
		assertThat(this.provider.events()).noneMatch((event) -> event.startsWith("release"));
		work.complete("done");
		assertThat(result).succeedsWithin(Patience.LIMIT).isEqualTo("done");
		assertThat(this.provider.events()).anyMatch((event) -> event.startsWith("release"));
	}

	@Test
	void publisherOfAGenericBaseIsHeldWhileItIsSubscribedTo() {
		OfMonos handler = bean(OfMonos.class);
		handler.returning(Mono.fromCallable(() -> {
			this.provider.record("work");
			return "done";
		}));
		Mono<String> result = handler.handle("1");
		assertThat(this.provider.events()).isEmpty();
		assertThat(result.block()).isEqualTo("done");
		assertThat(this.provider.events().get(1)).isEqualTo("work");
		assertThat(this.provider.events()).hasSize(3);
	}

	@Test
	void skippedCallsOfAGenericBaseReturnAnEmptyValueOfTheirType() {
		this.provider.contended(true);
		assertThat(bean(OfFutures.class).skip("1")).succeedsWithin(Patience.LIMIT).isNull();
		assertThat(bean(OfMonos.class).skip("1").blockOptional()).isEmpty();
		assertThat(bean(OfOptionals.class).skip("1")).isEmpty();
		assertThat(bean(OfFuturesOfOptionals.class).skip("1")).succeedsWithin(Patience.LIMIT)
			.isEqualTo(Optional.empty());
	}

	@ParameterizedTest
	@ValueSource(
			classes = { Streams.class, Iterators.class, Callables.class, Tasks.class, Bodies.class, OfStreams.class })
	void typeThatGoesOnIsRefusedAtStart(Class<?> type) {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> bean(type))
			.withRootCauseInstanceOf(InvalidLockOperationException.class)
			.withMessageContaining(type.getSimpleName())
			.withMessageContaining("continues after it has returned");
	}

	@Test
	void valueThatContinuesFails() {
		Objects objects = bean(Objects.class);
		for (Object value : GOES_ON) {
			assertThatIllegalStateException().isThrownBy(() -> objects.give(value))
				.withMessageContaining("Objects.give")
				.withMessageContaining("continues after the method has returned");
		}
		assertThat(objects.give("plain")).isEqualTo("plain");
		assertThat(objects.give(ResponseEntity.ok("plain"))).isEqualTo(ResponseEntity.ok("plain"));
	}

	@ParameterizedTest
	@ValueSource(classes = { MonosOfBodies.class, FuturesOfStreamingBodies.class, FuturesOfStreams.class,
			MonosOfMonos.class, OptionalStreams.class, ListsOfFutures.class, FuturesOfLists.class, MapsOfFutures.class,
			ArraysOfFutures.class })
	void typeThatGoesOnInsideOfAnotherTypeIsRefusedAtStart(Class<?> type) {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> bean(type))
			.withRootCauseInstanceOf(InvalidLockOperationException.class)
			.withMessageContaining(type.getSimpleName())
			.withMessageContaining("continues after");
	}

	@Test
	void typesThatContainThemselvesAreAccepted() {
		assertThat(bean(Trees.class).tree()).isEmpty();
		assertThat(bean(Trees.class).path()).isEqualTo(Path.of("a"));
	}

	@Test
	void futureOfAValueThatContinuesFails() {
		Objects objects = bean(Objects.class);
		for (Object value : GOES_ON) {
			assertThat(objects.giveLater(value)).failsWithin(Patience.LIMIT)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(IllegalStateException.class)
				.withMessageContaining("Objects.giveLater")
				.withMessageContaining("continues after");
		}
		assertThat(objects.giveLater("plain")).succeedsWithin(Patience.LIMIT).isEqualTo("plain");
		assertThat(objects.giveLater(new IOException("plain"), "failed")).failsWithin(Patience.LIMIT)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IOException.class);
		assertThat(objects.giveResponseLater(ResponseEntity.ok(Flux.empty()))).failsWithin(Patience.LIMIT);
		assertThat(objects.giveResponseLater(ResponseEntity.ok("plain"))).succeedsWithin(Patience.LIMIT);
	}

	@Test
	void publisherOfAValueThatContinuesFails() {
		Objects objects = bean(Objects.class);
		for (Object value : GOES_ON) {
			assertThatIllegalStateException().isThrownBy(() -> objects.giveReactively(value).block())
				.withMessageContaining("Objects.giveReactively")
				.withMessageContaining("continues after");
		}
		assertThat(objects.giveReactively("plain").block()).isEqualTo("plain");
		assertThatIllegalStateException()
			.isThrownBy(() -> bean(OfFluxes.class).returning(Flux.just("plain", Flux.empty())).blockLast())
			.withMessageContaining("continues after");
		assertThat(this.provider.events()).last().asString().startsWith("release");
	}

	@ParameterizedTest
	@ValueSource(strings = { "io.vertx.core.Future", "scala.concurrent.Future", "io.vavr.concurrent.Future",
			"io.smallrye.mutiny.Uni", "io.reactivex.SingleSource", "io.reactivex.MaybeSource",
			"io.reactivex.ObservableSource", "io.reactivex.rxjava4.core.CompletableSource",
			"com.google.common.util.concurrent.ListenableFuture" })
	void typesOfFurtherLibrariesContinue(String name) {
		Class<?> type = new Library().type(name);
		assertThat(AsynchronousTypes.contains(ResolvableType.forClass(type))).isTrue();
		Objects objects = bean(Objects.class);
		Object value = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> null);
		assertThatIllegalStateException().isThrownBy(() -> objects.give(value))
			.withMessageContaining("continues after the method has returned");
	}

	@Test
	void functionalResponseThatContinuesFails() {
		Objects objects = bean(Objects.class);
		assertThatIllegalStateException()
			.isThrownBy(() -> objects.give(ServerResponse.async(new CompletableFuture<ServerResponse>())))
			.withMessageContaining("continues after");
		assertThatIllegalStateException()
			.isThrownBy(() -> objects.give(ServerResponse.ok().body(new CompletableFuture<>())))
			.withMessageContaining("continues after");
		assertThatIllegalStateException().isThrownBy(() -> objects.give(ServerResponse.sse((sink) -> {
		}))).withMessageContaining("continues after");
		ServerResponse plain = ServerResponse.ok().body("plain");
		assertThat(objects.give(plain)).isSameAs(plain);
	}

	/**
	 * Has a type of a library that these tests do not have.
	 */
	private static final class Library extends ClassLoader {

		private Library() {
			super(ReturnTypeTests.class.getClassLoader());
		}

		private Class<?> type(String name) {
			ClassWriter writer = new ClassWriter(0);
			String[] parents = name.endsWith("ListenableFuture") ? new String[] { Type.getInternalName(Future.class) }
					: null;
			writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_INTERFACE | Opcodes.ACC_ABSTRACT,
					name.replace('.', '/'), null, Type.getInternalName(Object.class), parents);
			byte[] code = writer.toByteArray();
			return defineClass(name, code, 0, code.length);
		}

	}

	abstract static class Base<R> {

		private R work;

		void returning(R work) {
			this.work = work;
		}

		@DistributedLock(key = "#id")
		public R handle(String id) {
			return this.work;
		}

		@DistributedLock(key = "#id", waitTime = "100ms", onContention = OnContention.SKIP)
		public R skip(String id) {
			return this.work;
		}

	}

	static class OfFutures extends Base<CompletableFuture<String>> {

	}

	static class OfMonos extends Base<Mono<String>> {

	}

	static class OfOptionals extends Base<Optional<String>> {

	}

	static class OfFuturesOfOptionals extends Base<CompletableFuture<Optional<String>>> {

	}

	static class OfStreams extends Base<Stream<String>> {

	}

	static class Objects {

		@DistributedLock(key = "'k'")
		public Object give(Object value) {
			return value;
		}

		@DistributedLock(key = "'k'")
		public CompletableFuture<Object> giveLater(Object value) {
			return CompletableFuture.completedFuture(value);
		}

		@DistributedLock(key = "'k'")
		public CompletableFuture<Object> giveLater(Exception failure, String why) {
			return CompletableFuture.failedFuture(failure);
		}

		@DistributedLock(key = "'k'")
		public CompletableFuture<ResponseEntity<?>> giveResponseLater(ResponseEntity<?> value) {
			return CompletableFuture.completedFuture(value);
		}

		@DistributedLock(key = "'k'")
		public Mono<Object> giveReactively(Object value) {
			return Mono.just(value);
		}

	}

	static class OfFluxes {

		@DistributedLock(key = "'k'")
		public Flux<?> returning(Flux<?> values) {
			return values;
		}

	}

	static class MonosOfBodies {

		@DistributedLock
		public Mono<ResponseEntity<Flux<String>>> all() {
			return Mono.empty();
		}

	}

	static class FuturesOfStreamingBodies {

		@DistributedLock
		public CompletableFuture<ResponseEntity<StreamingResponseBody>> all() {
			return new CompletableFuture<>();
		}

	}

	static class FuturesOfStreams {

		@DistributedLock
		public CompletableFuture<Stream<String>> all() {
			return new CompletableFuture<>();
		}

	}

	static class MonosOfMonos {

		@DistributedLock
		public Mono<Mono<String>> all() {
			return Mono.empty();
		}

	}

	static class OptionalStreams {

		@DistributedLock
		public Optional<Stream<String>> all() {
			return Optional.empty();
		}

	}

	static class ListsOfFutures {

		@DistributedLock
		public List<CompletableFuture<String>> all() {
			return List.of();
		}

	}

	static class FuturesOfLists {

		@DistributedLock
		public CompletableFuture<List<Mono<String>>> all() {
			return new CompletableFuture<>();
		}

	}

	static class MapsOfFutures {

		@DistributedLock
		public Map<String, CompletableFuture<String>> all() {
			return Map.of();
		}

	}

	static class ArraysOfFutures {

		@DistributedLock
		public CompletableFuture<?>[] all() {
			return new CompletableFuture<?>[0];
		}

	}

	static class Trees {

		@DistributedLock
		public Tree tree() {
			return new Tree();
		}

		@DistributedLock
		public Path path() {
			return Path.of("a");
		}

	}

	static class Tree extends ArrayList<Tree> {

		private static final long serialVersionUID = 1L;

	}

	static class Streams {

		@DistributedLock
		public Stream<String> all() {
			return Stream.of("a");
		}

	}

	static class Iterators {

		@DistributedLock
		public Iterator<String> all() {
			return List.of("a").iterator();
		}

	}

	static class Callables {

		@DistributedLock
		public Callable<String> later() {
			return () -> "a";
		}

	}

	static class Tasks {

		@DistributedLock
		public FutureTask<String> later() {
			return new FutureTask<>(() -> "a");
		}

	}

	static class Bodies {

		@DistributedLock
		public ResponseEntity<Stream<String>> all() {
			return ResponseEntity.ok(Stream.of("a"));
		}

	}

}
