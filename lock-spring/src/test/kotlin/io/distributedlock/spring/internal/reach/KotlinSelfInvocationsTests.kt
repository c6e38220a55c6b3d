package io.distributedlock.spring.internal.reach

import io.distributedlock.annotation.DistributedLock
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatNoException
import org.junit.jupiter.api.Test
import org.springframework.core.OverridingClassLoader
import java.lang.reflect.Method
import java.util.Optional

/**
 * Calls of locked methods in code that the Kotlin compiler makes.
 */
internal class KotlinSelfInvocationsTests {

	@Test
	fun callsInWhatTheCompilerMakesAreFound() {
		assertThat(SelfInvocations.find(Calling::class.java, false) { isLocked(it) })
			.containsExactlyInAnyOrder("withDefault() calls settle()", "inCoroutine() calls suspended()", "inLambda() calls settle()",
				"inSuspendingFunction() calls suspended()", "byReference() calls settleOnce()", "byReferenceForJava() calls settleAll()")
	}

	/**
	 * A final function runs on the proxy, and so does what it starts.
	 */
	@Test
	fun callsBehindAProxyAreFoundUnlessAFinalFunctionMakesThem() {
		assertThat(SelfInvocations.find(Open::class.java, true) { isLocked(it) })
			.containsExactlyInAnyOrder("inCoroutine() calls suspended()", "byReference() calls settle()",
				"inSuspendingFunction() calls suspended()")
	}

	@Test
	fun suspendingFunctionThatGoesOnDoesNotCallItself() {
		assertThat(SelfInvocations.find(Suspending::class.java, false) { isLocked(it) }).isEmpty()
	}

	@Test
	fun objectOfAMissingLibraryIsNoReasonToFail() {
		val loader = object : OverridingClassLoader(javaClass.classLoader) {
			override fun isEligibleForOverriding(className: String) = className.startsWith(OfALibrary::class.java.name)

			override fun loadClass(name: String): Class<*> =
				if (name == Library::class.java.name) throw ClassNotFoundException(name) else super.loadClass(name)
		}
		val type = loader.loadClass(OfALibrary::class.java.name)
		assertThatNoException().isThrownBy { UnreachableMethods.warnOfCalls(type, true) }
	}

	private fun isLocked(method: Method): Boolean =
		method.isAnnotationPresent(DistributedLock::class.java) && !LockAnnotations.isCopy(method)

	open class Calling(private val scope: CoroutineScope) {

		@DistributedLock("#id")
		open fun settle(id: String, times: Int = 1): Int = id.length * times

		@DistributedLock("#id")
		open suspend fun suspended(id: String): String {
			delay(1)
			return id
		}

		@DistributedLock("#id")
		open fun settleOnce(id: String): Int = id.length

		@DistributedLock
		open fun settleAll() {
		}

		fun withDefault(): Int = settle("1")

		fun byReference(): List<Int> = sorted(listOf("a"), ::settleOnce)

		fun byReferenceForJava(): Runnable = Runnable(::settleAll)

		fun inCoroutine() = scope.launch { suspended("1") }

		fun inLambda(): List<Int> = listOf("a", "b").sortedBy { other(it) }.let { all -> sorted(all) { settle(it, 2) } }

		suspend fun inSuspendingFunction(): String {
			delay(1)
			val first = suspended("1")
			delay(1)
			return first
		}

		private fun other(id: String): Int = id.length

		private fun sorted(all: List<String>, by: (String) -> Int): List<Int> = all.map(by)

	}

	open class Open(private val scope: CoroutineScope) {

		@DistributedLock("#id")
		open fun settle(id: String): Int = id.length

		@DistributedLock("#id")
		open suspend fun suspended(id: String): String {
			delay(1)
			return id
		}

		open fun inCoroutine() = scope.launch { suspended("1") }

		open fun byReference(): List<Int> = each(listOf("a"), ::settle)

		open suspend fun inSuspendingFunction(): String {
			delay(1)
			val first = suspended("1")
			delay(1)
			return first + suspended("2")
		}

		open suspend fun fromCast(other: Any): String {
			delay(1)
			return (other as Open).suspended("1")
		}

		open fun fromLambda(other: Optional<Open>) = other.ifPresent { it.settle("1") }

		@DistributedLock("#id")
		open suspend fun walk(id: String, depth: Int = 0): String {
			delay(1)
			return if (depth > 1) id else walk(id)
		}

		open fun byReferenceToAnother(other: Open): List<Int> = each(listOf("a"), other::settle)

		open fun byReferenceToAny(): Int = each(listOf("a")) { with(this, it, Open::settle) }.size

		fun inCoroutineOnTheProxy() = scope.launch { suspended("1") }

		fun byReferenceOnTheProxy(): List<Int> = each(listOf("a"), ::settle)

		private fun each(all: List<String>, by: (String) -> Int): List<Int> = all.map(by)

		private fun with(any: Open, id: String, by: (Open, String) -> Int): Int = by(any, id)

	}

	open class OfALibrary {

		@DistributedLock("#id")
		open fun settle(id: String): String = id

		fun listener(): Any = object : Library {}

	}

	interface Library

	open class Suspending {

		@DistributedLock("#id")
		open suspend fun suspended(id: String): String {
			delay(1)
			val first = id.length
			delay(1)
			return id + first
		}

	}

}
