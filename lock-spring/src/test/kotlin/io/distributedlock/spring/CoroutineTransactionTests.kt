package io.distributedlock.spring

import io.distributedlock.LockLostException
import io.distributedlock.annotation.DistributedLock
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.transaction.ReactiveTransactionManager
import org.springframework.transaction.annotation.Transactional
import org.springframework.transaction.reactive.TransactionalOperator
import org.springframework.transaction.reactive.executeAndAwait
import java.util.function.Consumer
import java.util.function.Supplier

/**
 * No transaction of a suspending function commits without the lock.
 */
@Tag("proxies")
internal class CoroutineTransactionTests {

	private val provider = RecordingProvider()

	private val context = Contexts.open(provider, false, true, Consumer {
		it.registerBean(RecordingProvider::class.java, Supplier { provider })
		it.register(ReactiveTransactionTests.Config::class.java)
		it.registerBean(Shelf::class.java, Supplier { Shelf(provider) })
	})

	private val operator = TransactionalOperator.create(context.getBean(ReactiveTransactionManager::class.java))

	private val shelf = context.getBean(Shelf::class.java)

	@AfterEach
	fun close() = context.close()

	@Test
	fun transactionCommits() = runBlocking<Unit> {
		shelf.takeByOperator(operator, false)
		shelf.takeInTransaction(false)
		assertThat(provider.events()).containsExactly(TAKE, "begin", "committed", GIVE, TAKE, "begin", "committed", GIVE)
	}

	@Test
	fun transactionInTheBodyIsRolledBackIfTheLeaseWasLost() {
		assertThatExceptionOfType(LockLostException::class.java)
			.isThrownBy { runBlocking { shelf.takeByOperator(operator, true) } }
		assertThat(provider.events()).startsWith(TAKE, "begin", "rolled back").doesNotContain("committed")
	}

	@Test
	fun transactionOfTheFunctionIsRolledBackIfTheLeaseWasLost() {
		assertThatExceptionOfType(LockLostException::class.java)
			.isThrownBy { runBlocking { shelf.takeInTransaction(true) } }
		assertThat(provider.events()).startsWith(TAKE, "begin", "rolled back").doesNotContain("committed")
	}

	@Test
	fun transactionOfAFlowIsRolledBackIfTheLeaseWasLost() {
		assertThatExceptionOfType(LockLostException::class.java)
			.isThrownBy { runBlocking { shelf.takeInFlow(operator).toList() } }
		assertThat(provider.events()).startsWith(TAKE, "begin", "rolled back").doesNotContain("committed")
	}

	open class Shelf(private val provider: RecordingProvider) {

		@DistributedLock(name = "stock", key = "'1'")
		open suspend fun takeByOperator(operator: TransactionalOperator, lose: Boolean) {
			delay(5)
			withContext(Dispatchers.Default) { operator.executeAndAwait { work(lose) } }
		}

		@DistributedLock(name = "stock", key = "'1'")
		open fun takeInFlow(operator: TransactionalOperator): Flow<String> = flow {
			delay(5)
			operator.executeAndAwait { work(true) }
			emit("taken")
		}

		@Transactional
		@DistributedLock(name = "stock", key = "'1'")
		open suspend fun takeInTransaction(lose: Boolean) = work(lose)

		private suspend fun work(lose: Boolean) {
			delay(5)
			if (lose) {
				provider.loseLast()
			}
		}

	}

	companion object {

		private const val TAKE = "acquire t:stock:1"

		private const val GIVE = "release t:stock:1"

	}

}
