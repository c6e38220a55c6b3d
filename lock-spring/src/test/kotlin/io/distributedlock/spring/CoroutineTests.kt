package io.distributedlock.spring

import io.distributedlock.spring.internal.operation.LockOperationSource
import io.distributedlock.annotation.LockContentionHandler
import io.distributedlock.annotation.InvalidLockOperationException
import io.distributedlock.annotation.DistributedLockSettings
import io.distributedlock.LockHandle
import io.distributedlock.LockNotAcquiredException
import io.distributedlock.annotation.DistributedLock
import io.distributedlock.annotation.OnContention
import io.distributedlock.spring.internal.expression.LockExpressionParser
import io.distributedlock.spring.internal.reach.LockAnnotations
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.aopalliance.intercept.MethodInvocation
import org.aspectj.lang.ProceedingJoinPoint
import org.aspectj.lang.annotation.Around
import org.aspectj.lang.annotation.Aspect
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.assertj.core.api.Assertions.assertThatIllegalStateException
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.BeanCreationException
import reactor.core.publisher.Mono
import java.util.Optional

/**
 * Suspending functions and flows hold their locks until they end.
 */
@Tag("proxies")
internal class CoroutineTests {

	private val provider = RecordingProvider()

	private val context = Contexts.open(provider, false, Coroutines::class.java, Handler::class.java)

	private val coroutines = context.getBean(Coroutines::class.java)

	@AfterEach
	fun close() = context.close()

	@Test
	fun suspendingFunctionIsLockedToItsEnd() = runBlocking<Unit> {
		assertThat(coroutines.one("1", provider)).isEqualTo("one 1")
		assertThat(provider.events()).containsExactly("acquire t:Coroutines.one:1", "before", "after",
				"release t:Coroutines.one:1")
	}

	@Test
	fun aspectSeesTheCallOnce() = runBlocking<Unit> {
		Contexts.open(provider, false, AspectTests.ClassProxies::class.java, Audit::class.java, Coroutines::class.java,
				Handler::class.java).use {
			assertThat(it.getBean(Coroutines::class.java).one("1", provider)).isEqualTo("one 1")
			assertThat(it.getBean(Audit::class.java).keys).containsExactly("#id")
			assertThat(provider.events()).containsExactly("acquire t:Coroutines.one:1", "before", "after",
					"release t:Coroutines.one:1")
		}
	}

	@Test
	fun overrideOfAnOverrideOfAGenericFunctionIsLocked() = runBlocking<Unit> {
		Contexts.openWithInterfaceProxies(provider, Leaf::class.java).use { context ->
			@Suppress("UNCHECKED_CAST")
			val generic = context.getBean(Generic::class.java) as Generic<String>
			assertThat(generic.run("1")).isEqualTo("leaf 1")
			assertThat(provider.keys()).containsExactly("t:leaf:1")
		}
	}

	/**
	 * The method that the compiler makes for the interface calls one of them, but does not say which.
	 */
	@Test
	fun overloadsBehindAGenericFunctionAreRefusedAtStart() {
		for (type in listOf(Overloads::class.java, OtherOverloads::class.java)) {
			assertThatExceptionOfType(BeanCreationException::class.java)
				.isThrownBy { Contexts.openWithInterfaceProxies(provider, type) }
				.withRootCauseInstanceOf(InvalidLockOperationException::class.java)
				.withMessageContaining(type.simpleName)
				.withMessageContaining("another name")
		}
	}

	@Test
	fun flowIsLockedByEachCollector() = runBlocking<Unit> {
		val flow = coroutines.many("1")
		assertThat(provider.events()).isEmpty()
		assertThat(flow.toList()).containsExactly("a", "b")
		assertThat(flow.toList()).containsExactly("a", "b")
		assertThat(provider.events()).hasSize(4)
	}

	@Test
	fun flowFindsTheContextOfItsCollector() = runBlocking<Unit>(CoroutineName("collector")) {
		assertThat(coroutines.named("1").toList()).containsExactly("collector", "collector")
		provider.contended(true)
		assertThat(coroutines.named("1").toList()).containsExactly("fallback of collector")
	}

	@Test
	fun argumentsOfTheRootAreThoseOfTheFunction() = runBlocking<Unit> {
		coroutines.ofRoot("1", "2")
		assertThat(provider.keys()).containsExactly("t:Coroutines.ofRoot:1", "t:Coroutines.ofRoot:2")
	}

	@Test
	fun innerCallReenters() = runBlocking<Unit> {
		assertThat(coroutines.outer("1", coroutines)).isEqualTo("inner")
		assertThat(provider.events()).containsExactly("acquire t:shared:1", "release t:shared:1")
	}

	@Test
	fun otherCoroutineDoesNotReenter() = runBlocking<Unit> {
		val gate = CompletableDeferred<Unit>()
		val holder = async(Dispatchers.Default) { coroutines.until("1", gate) }
		provider.awaitEvents(1)
		assertThatExceptionOfType(LockNotAcquiredException::class.java)
			.isThrownBy { runBlocking { coroutines.inner("1") } }
		assertThat(coroutines.skipped("1")).isNull()
		gate.complete(Unit)
		holder.await()
	}

	@Test
	fun cancelledCoroutineReleases() = runBlocking<Unit> {
		val job = launch(Dispatchers.Default) { coroutines.until("1", CompletableDeferred()) }
		provider.awaitEvents(1)
		job.cancelAndJoin()
		provider.awaitEvents(2)
	}

	@Test
	fun handleIsFilledIn() = runBlocking<Unit> {
		assertThat(RecordingProvider.shortened(coroutines.withHandle("1", null)!!)).isEqualTo("t:Coroutines.withHandle:1")
	}

	@Test
	fun suspendingFunctionOfATypeThatGoesOnIsRefusedAtStart() {
		for (type in listOf(SuspendingFlow::class.java, SuspendingSequence::class.java, SuspendingMono::class.java)) {
			assertThatExceptionOfType(BeanCreationException::class.java)
				.isThrownBy { Contexts.open(provider, false, type) }
				.withRootCauseInstanceOf(InvalidLockOperationException::class.java)
				.withMessageContaining(type.simpleName)
				.withMessageContaining("suspending function")
				.withMessageContaining("continues after")
		}
	}

	@Test
	fun suspendingFunctionOfAValueThatContinuesFails() = runBlocking<Unit> {
		assertThat(coroutines.any("plain")).isEqualTo("plain")
		for (value in listOf(sequenceOf("a"), flow { emit("a") })) {
			assertThatIllegalStateException().isThrownBy { runBlocking { coroutines.any(value) } }
				.withMessageContaining("Coroutines.any")
				.withMessageContaining("continues after")
		}
	}

	/**
	 * See spring-framework#37155. A value class around a primitive type is always boxed.
	 */
	@Test
	fun suspendingFunctionOfAValueClassIsRefusedAtStart() = runBlocking<Unit> {
		for (type in listOf(SuspendingResult::class.java, SuspendingTicket::class.java)) {
			assertThatExceptionOfType(BeanCreationException::class.java)
				.isThrownBy { Contexts.open(provider, false, type) }
				.withRootCauseInstanceOf(InvalidLockOperationException::class.java)
				.withMessageContaining(type.simpleName)
				.withMessageContaining("value class")
		}
		Contexts.open(provider, false, SuspendingCount::class.java).use {
			repeat(20) { _ -> assertThat(it.getBean(SuspendingCount::class.java).run("1").amount).isEqualTo(3) }
		}
	}

	@Test
	fun functionWithoutAnEmptyValueCannotBeSkipped() {
		for (type in listOf(SkippedInt::class.java, SkippedBoolean::class.java, SkippedText::class.java, SkippedResult::class.java)) {
			assertThatExceptionOfType(BeanCreationException::class.java)
				.isThrownBy { Contexts.open(provider, false, type) }
				.withRootCauseInstanceOf(InvalidLockOperationException::class.java)
				.withMessageContaining(type.simpleName)
				.withMessageContaining("cannot be skipped")
		}
	}

	@Test
	fun suspendingFunctionThatIsSkippedReturnsAnEmptyValue() = runBlocking<Unit> {
		provider.contended(true)
		assertThat(coroutines.skippedInt("1")).isNull()
		assertThat(coroutines.skippedOptional("1")).isEmpty()
		coroutines.skippedUnit("1")
	}

	/**
	 * A fallback that resumed the caller itself would give its value to what the caller awaits next.
	 */
	@Test
	fun fallbackOrHandlerGivesItsValueOnce() {
		provider.contended(true)
		runBlocking {
			assertThat(coroutines.withFallback("1")).isEqualTo("fallback 1")
			assertThat(coroutines.withExceptionForFallback("2")).isEqualTo("fallback 2 CONTENDED")
			assertThat(runCatching { coroutines.failing("3") }.exceptionOrNull()).hasMessage("fallback 3")
			assertThat(coroutines.withHandler("4")).isEqualTo("handled 4")
			val awaited = CompletableDeferred<String>()
			launch {
				delay(50)
				awaited.complete("awaited")
			}
			assertThat(awaited.await()).isEqualTo("awaited")
		}
	}

	/**
	 * The compiler appends something to the names of functions that are internal, or have a value class.
	 */
	@Test
	fun fallbackHasItsNameOfTheSource() {
		provider.contended(true)
		runBlocking {
			assertThat(coroutines.withValueClass(Ticket("1"))).isEqualTo("fallback 1")
			assertThat(coroutines.suspendingWithValueClass(Ticket("2"))).isEqualTo("fallback 2 CONTENDED")
			assertThat(coroutines.withValueClassOfResult("3").number).isEqualTo("fallback 3")
			assertThat(coroutines.internalOne("4")).isEqualTo("fallback 4")
		}
	}

	@Test
	fun copyThatTheCompilerMakesIsNoLockedMethod() {
		val copy = Coroutines::class.java.declaredMethods.first { it.name == "one\$suspendImpl" }
		assertThat(copy.isAnnotationPresent(DistributedLock::class.java)).isTrue()
		val source = LockOperationSource(LockExpressionParser(null, null), { it }, DistributedLockSettings.DEFAULTS, null)
		assertThat(source.find(copy, Coroutines::class.java)).isNull()
		assertThat(LockAnnotations.isCopy(copy)).`as`("not warned about").isTrue()
	}

	@JvmInline
	value class Ticket(val number: String)

	open class Coroutines {

		@DistributedLock("#id")
		open suspend fun one(id: String, provider: RecordingProvider): String {
			provider.record("before")
			delay(5)
			provider.record("after")
			return "one $id"
		}

		@DistributedLock("#id")
		open fun many(id: String): Flow<String> = flow {
			emit("a")
			delay(5)
			emit("b")
		}

		@DistributedLock(key = "#id", waitTime = "0", fallback = "otherwiseNamed")
		open fun named(id: String): Flow<String> = flow {
			emit(name())
			delay(5)
			emit(name())
		}

		fun otherwiseNamed(id: String): Flow<String> = flow { emit("fallback of ${name()}") }

		private suspend fun name(): String = currentCoroutineContext()[CoroutineName]?.name ?: "none"

		@DistributedLock("#root.args")
		open suspend fun ofRoot(id: String, other: String) {
		}

		@DistributedLock(name = "shared", key = "#id", waitTime = "0")
		open suspend fun outer(id: String, self: Coroutines): String {
			delay(5)
			return self.inner(id)
		}

		@DistributedLock(name = "shared", key = "#id", waitTime = "0")
		open suspend fun inner(id: String): String = "inner"

		@DistributedLock(name = "shared", key = "#id", waitTime = "0", onContention = OnContention.SKIP)
		open suspend fun skipped(id: String): String? = "ran"

		@DistributedLock(name = "shared", key = "#id")
		open suspend fun until(id: String, end: CompletableDeferred<Unit>) = end.await()

		@DistributedLock("#id")
		open suspend fun withHandle(id: String, handle: LockHandle?): String? = handle?.key()

		@DistributedLock(key = "#id", waitTime = "0", onContention = OnContention.SKIP)
		open suspend fun skippedInt(id: String): Int? = 1

		@DistributedLock(key = "#id", waitTime = "0", onContention = OnContention.SKIP)
		open suspend fun skippedOptional(id: String): Optional<String> = Optional.of("ran")

		@DistributedLock(key = "#id", waitTime = "0", onContention = OnContention.SKIP)
		open suspend fun skippedUnit(id: String) {
		}

		@DistributedLock(key = "#id", waitTime = "0", fallback = "fallback")
		open suspend fun withFallback(id: String): String = "ran"

		suspend fun fallback(id: String): String {
			delay(5)
			return "fallback $id"
		}

		@DistributedLock(key = "#id", waitTime = "0", fallback = "fallbackWithException")
		open suspend fun withExceptionForFallback(id: String): String = "ran"

		private suspend fun fallbackWithException(id: String, refusal: LockNotAcquiredException): String {
			delay(5)
			return "fallback $id ${refusal.reason}"
		}

		@DistributedLock(key = "#id", waitTime = "0", fallback = "failingFallback")
		open suspend fun failing(id: String): String = "ran"

		suspend fun failingFallback(id: String): String {
			delay(5)
			throw IllegalStateException("fallback $id")
		}

		@DistributedLock(key = "#id", waitTime = "0", handler = "handler")
		open suspend fun withHandler(id: String): String = "ran"

		@DistributedLock(key = "#ticket", fallback = "otherTicket")
		open fun withValueClass(ticket: Ticket): String = "ran"

		fun otherTicket(ticket: Ticket): String = "fallback ${ticket.number}"

		@DistributedLock(key = "#ticket", fallback = "suspendingTicket")
		open suspend fun suspendingWithValueClass(ticket: Ticket): String = "ran"

		suspend fun suspendingTicket(ticket: Ticket, refusal: LockNotAcquiredException): String {
			delay(1)
			return "fallback ${ticket.number} ${refusal.reason}"
		}

		@DistributedLock(key = "#id", fallback = "anotherTicket")
		open fun withValueClassOfResult(id: String): Ticket = Ticket("ran")

		fun anotherTicket(id: String): Ticket = Ticket("fallback $id")

		@DistributedLock(key = "#id", fallback = "internalOther")
		internal open fun internalOne(id: String): String = "ran"

		internal fun internalOther(id: String): String = listOf(1).joinToString { "fallback $id" }

		@DistributedLock("'k'")
		open suspend fun any(value: Any): Any = value

	}

	@Aspect
	class Audit {

		val keys = mutableListOf<String>()

		@Around("@annotation(lock)")
		fun bound(call: ProceedingJoinPoint, lock: DistributedLock): Any? {
			keys += lock.value
			return call.proceed()
		}

	}

	class Handler : LockContentionHandler {

		override fun handle(call: MethodInvocation, refusal: LockNotAcquiredException): Any = "handled ${call.arguments[0]}"

	}

	open class SkippedInt {

		@DistributedLock(key = "#id", onContention = OnContention.SKIP)
		open suspend fun count(id: String): Int = 1

	}

	open class SkippedBoolean {

		@DistributedLock(key = "#id", onContention = OnContention.SKIP)
		open suspend fun check(id: String): Boolean = true

	}

	open class SkippedText {

		@DistributedLock(key = "#id", onContention = OnContention.SKIP)
		open fun text(id: String): String = "text"

	}

	open class SkippedResult {

		@DistributedLock(key = "#id", onContention = OnContention.SKIP)
		open fun run(id: String): Result<String> = Result.success("ran")

	}

	open class SuspendingResult {

		@DistributedLock("#id")
		open suspend fun run(id: String): Result<String> = Result.success("ran")

	}

	open class SuspendingTicket {

		@DistributedLock("#id")
		open suspend fun run(id: String): Ticket = Ticket("ran")

	}

	open class SuspendingCount {

		@DistributedLock("#id")
		open suspend fun run(id: String): Count = Count(3)

	}

	@JvmInline
	value class Count(val amount: Int)

	open class SuspendingFlow {

		@DistributedLock("#id")
		open suspend fun all(id: String): Flow<String> = flow { emit("a") }

	}

	open class SuspendingSequence {

		@DistributedLock("#id")
		open suspend fun all(id: String): Sequence<String> = sequenceOf("a")

	}

	open class SuspendingMono {

		@DistributedLock("#id")
		open suspend fun all(id: String): List<Mono<String>> = listOf()

	}

	interface Generic<T : Any> {

		suspend fun run(value: T): String

	}

	abstract class Between<T : CharSequence> : Generic<T> {

		override suspend fun run(value: T): String = "between"

	}

	open class Leaf : Between<String>() {

		@DistributedLock(name = "leaf", key = "#value")
		override suspend fun run(value: String): String = "leaf $value"

	}

	open class Overloads : Between<String>() {

		@DistributedLock(name = "right", key = "#value")
		override suspend fun run(value: String): String = "right $value"

		@DistributedLock(name = "wrong", key = "#value")
		open suspend fun run(value: StringBuilder): String = "wrong $value"

	}

	open class OtherOverloads : Between<StringBuilder>() {

		@DistributedLock(name = "wrong", key = "#value")
		open suspend fun run(value: String): String = "wrong $value"

		@DistributedLock(name = "right", key = "#value")
		override suspend fun run(value: StringBuilder): String = "right $value"

	}

}
