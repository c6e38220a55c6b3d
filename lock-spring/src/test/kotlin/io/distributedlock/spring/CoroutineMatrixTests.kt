package io.distributedlock.spring

import io.distributedlock.annotation.DistributedLock
import io.distributedlock.annotation.OnLost
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.last
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Tag
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.Arguments.arguments
import org.junit.jupiter.params.provider.MethodSource
import java.util.function.Supplier

/**
 * The matrix for suspending functions and flows. Suspending functions are not woven, which
 * [WovenTests] show.
 */
@Tag("proxies")
internal class CoroutineMatrixTests {

	private val matrix = MatrixTests()

	@AfterEach
	fun close() = matrix.close()

	@ParameterizedTest
	@MethodSource("cases")
	fun keyIsTakenWhileASuspendingFunctionWorks(place: Place, situation: MatrixTests.Situation) =
		matrix.run(place.type, place != Place.INTERFACE, situation) { calls, work ->
			val result = runBlocking { (calls as Calls).suspended("k", work) }
			assertThat(result).isEqualTo("done")
		}

	@ParameterizedTest
	@MethodSource("cases")
	fun keyIsTakenWhileAFlowWorks(place: Place, situation: MatrixTests.Situation) =
		matrix.run(place.type, place != Place.INTERFACE, situation) { calls, work ->
			val result = runBlocking { (calls as Calls).flow("k", work).last() }
			assertThat(result).isEqualTo("done")
		}

	companion object {

		@JvmStatic
		fun cases(): List<Arguments> =
			Place.entries.flatMap { place -> MatrixTests.Situation.entries.map { arguments(place, it) } }

	}

	internal enum class Place(val type: Class<*>) {

		COMPOSED(OnMethods::class.java), CLASS(OnClass::class.java), INTERFACE(OfInterface::class.java),
		INHERITED(Inheriting::class.java), OVERRIDDEN(Overriding::class.java)

	}

	interface Calls {

		suspend fun suspended(id: String, work: Supplier<String>): String

		fun flow(id: String, work: Supplier<String>): Flow<String>

	}

	open class Plain : Calls {

		override suspend fun suspended(id: String, work: Supplier<String>): String =
			withContext(Dispatchers.IO) { work.get() }

		override fun flow(id: String, work: Supplier<String>): Flow<String> = flow {
			emit("first")
			emit(withContext(Dispatchers.IO) { work.get() })
		}

	}

	open class OnMethods : Calls {

		private val plain = Plain()

		@MatrixTests.Matrix
		override suspend fun suspended(id: String, work: Supplier<String>): String = plain.suspended(id, work)

		@MatrixTests.Matrix
		override fun flow(id: String, work: Supplier<String>): Flow<String> = plain.flow(id, work)

	}

	open class Overriding : OnMethods() {

		private val own = Plain()

		override suspend fun suspended(id: String, work: Supplier<String>): String = own.suspended(id, work)

		override fun flow(id: String, work: Supplier<String>): Flow<String> = own.flow(id, work)

	}

	@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
	open class OnClass : Plain() {

		override suspend fun suspended(id: String, work: Supplier<String>): String = super.suspended(id, work)

		override fun flow(id: String, work: Supplier<String>): Flow<String> = super.flow(id, work)

	}

	@MatrixTests.Matrix
	interface Annotated : Calls

	open class OfInterface : Plain(), Annotated

	abstract class Generic<T : Any, F : Any> {

		private val plain = Plain()

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@Suppress("UNCHECKED_CAST")
		open suspend fun suspended(id: String, work: Supplier<String>): T = plain.suspended(id, work) as T

		@DistributedLock(name = "m", key = "#id", waitTime = "20s", onLost = OnLost.THROW)
		@Suppress("UNCHECKED_CAST")
		open fun flow(id: String, work: Supplier<String>): F = plain.flow(id, work) as F

	}

	open class Inheriting : Generic<String, Flow<String>>(), Calls

}
