package io.distributedlock.spring

import io.distributedlock.LockLostException
import io.distributedlock.annotation.DistributedLock
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.asFlux
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.transaction.PlatformTransactionManager
import org.springframework.transaction.ReactiveTransactionManager
import org.springframework.transaction.reactive.TransactionalOperator
import org.springframework.transaction.reactive.executeAndAwait
import org.springframework.transaction.reactive.transactional
import org.springframework.transaction.support.TransactionTemplate
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import java.util.function.Consumer
import java.util.function.Supplier

/**
 * Broken: transactions of locked methods with coroutines in them that commit without the lock.
 */
@Tag("proxies")
internal class BrokenCoroutineTransactionTests {

	private val provider = RecordingProvider()

	private val context = Contexts.open(provider, false, true, Consumer {
		it.registerBean(RecordingProvider::class.java, Supplier { provider })
		it.register(ReactiveTransactionTests.Config::class.java)
		it.registerBean(Shelf::class.java, Supplier { Shelf(provider) })
	})

	private val operator = TransactionalOperator.create(context.getBean(ReactiveTransactionManager::class.java))

	private val shop = context.getBean(ReactiveTransactionTests.Shop::class.java)

	private val shelf = context.getBean(Shelf::class.java)

	@AfterEach
	fun close() = context.close()

	/**
	 * Kotlin's usual way to a method that returns a Mono.
	 */
	@Test
	fun monoOfACoroutineIsRolledBack() = assertRolledBack { shelf.takeByMono(operator).awaitSingleOrNull() }

	@Test
	fun fluxOfAFlowIsRolledBack() = assertRolledBack { shelf.takeByFlux(operator).collectList().awaitSingleOrNull() }

	/**
	 * A reactive bean that first reads and then writes in a transaction, as a Java one does.
	 */
	@Test
	fun chainThatASuspendingFunctionAwaitsIsRolledBack() = assertRolledBack { shelf.takeAndAwait(shop) }

	@Test
	fun chainThatAFlowAwaitsIsRolledBack() = assertRolledBack { shelf.flowAndAwait(shop).toList() }

	@Test
	fun monoInsideOfASuspendingFunctionIsRolledBack() = assertRolledBack { shelf.takeAndAwaitMono(operator) }

	@Test
	fun deferredIsRolledBack() = assertRolledBack { shelf.takeDeferred(operator).await() }

	/**
	 * The lock is at least held until the end.
	 */
	@Test
	fun deferredIsLockedUntilItsEnd() = runBlocking<Unit> {
		shelf.takeDeferred(operator).await()
		delay(200)
		assertThat(provider.events()).containsExactly("acquire t:stock:1", "begin", "committed", "release t:stock:1")
	}

	@Test
	fun asyncAndLaunchInsideAreRolledBack() = assertRolledBack { shelf.takeAsync(operator, true) }

	@Test
	fun flowOnAnotherDispatcherIsRolledBack() = assertRolledBack { shelf.flowElsewhere(operator).toList() }

	@Test
	fun transactionalFlowIsRolledBack() = assertRolledBack { shelf.transactionalFlow(operator).toList() }

	/**
	 * What a coroutine does on a thread for blocking work.
	 */
	@Test
	fun blockingTransactionElsewhereIsRolledBack() {
		Contexts.open(provider, false, true, Consumer {
			it.registerBean(RecordingProvider::class.java, Supplier { provider })
			it.register(TransactionReleaseTests.Config::class.java)
			it.registerBean(Shelf::class.java, Supplier { Shelf(provider) })
		}).use {
			val template = TransactionTemplate(it.getBean(PlatformTransactionManager::class.java))
			val blocking = it.getBean(Shelf::class.java)
			assertThatExceptionOfType(LockLostException::class.java)
				.isThrownBy { runBlocking { blocking.takeOnThread(template) } }
			assertThat(provider.events()).contains("rollback").doesNotContain("commit")
		}
	}

	/**
	 * The caller's code behind the method is outside of its lock, on whatever thread.
	 */
	@Test
	fun transactionBehindTheMethodIsNotChecked() = runBlocking<Unit> {
		withContext(Dispatchers.Unconfined) {
			shelf.takeAsync(operator, false)
			operator.executeAndAwait { delay(1) }
		}
		assertThat(provider.events()).endsWith("release t:stock:1", "begin", "committed")
	}

	/**
	 * The documentation: what a caller does with the values is not part of the method.
	 */
	@Test
	fun transactionOfTheCallerForEachValueIsNotChecked() {
		shelf.drain().asFlux()
			.concatMap { shop.sell(Mono.fromRunnable { provider.loseLast() }) }
			.blockLast(Duration.ofSeconds(20))
		assertThat(provider.events()).contains("committed").doesNotContain("rolled back")
	}

	@Test
	fun locksOfCallsThatHaveEndedDoNotPileUpInARepeatedFlow() {
		shelf.drain().asFlux().repeat(50).blockLast(Duration.ofSeconds(20))
		assertThat(shelf.depths).hasSize(51).containsOnly(1)
	}

	@Test
	fun locksOfCallsThatHaveEndedDoNotPileUpInALoop() = runBlocking<Unit> {
		withContext(Dispatchers.Unconfined) { repeat(50) { shelf.take() } }
		assertThat(shelf.depths).hasSize(50).containsOnly(1)
	}

	@Test
	fun locksOfCallsThatHaveEndedDoNotPileUpInAReactiveLoop() {
		mono(Dispatchers.Unconfined) { shelf.take() }.repeat(50).blockLast(Duration.ofSeconds(20))
		assertThat(shelf.depths).hasSize(51).containsOnly(1)
	}

	private fun assertRolledBack(call: suspend () -> Any?) {
		assertThatExceptionOfType(LockLostException::class.java).isThrownBy { runBlocking { call() } }
		assertThat(provider.events()).contains("rolled back").doesNotContain("committed")
	}

	open class Shelf(private val provider: RecordingProvider) {

		@DistributedLock(name = "stock", key = "'1'")
		open fun takeByMono(operator: TransactionalOperator): Mono<Unit> = mono {
			delay(5)
			operator.executeAndAwait { work() }
		}

		@DistributedLock(name = "stock", key = "'1'")
		open fun takeByFlux(operator: TransactionalOperator): Flux<Unit> = flow {
			delay(5)
			emit(operator.executeAndAwait { work() })
		}.flowOn(Dispatchers.Default).asFlux()

		@DistributedLock(name = "stock", key = "'1'")
		open suspend fun takeAndAwait(shop: ReactiveTransactionTests.Shop) {
			Mono.delay(Duration.ofMillis(5))
				.then(shop.sell(Mono.fromRunnable { provider.loseLast() }))
				.awaitSingleOrNull()
		}

		@DistributedLock(name = "stock", key = "'1'")
		open fun flowAndAwait(shop: ReactiveTransactionTests.Shop): Flow<String> = flow {
			Mono.delay(Duration.ofMillis(5))
				.then(shop.sell(Mono.fromRunnable { provider.loseLast() }))
				.awaitSingleOrNull()
			emit("taken")
		}

		@DistributedLock(name = "stock", key = "'1'")
		open suspend fun takeAndAwaitMono(operator: TransactionalOperator) {
			mono { operator.executeAndAwait { work() } }.awaitSingleOrNull()
		}

		@DistributedLock(name = "stock", key = "'1'")
		open fun takeDeferred(operator: TransactionalOperator): Deferred<Unit> =
			CoroutineScope(Dispatchers.Default).async { operator.executeAndAwait { work() } }

		@DistributedLock(name = "stock", key = "'1'")
		open suspend fun takeAsync(operator: TransactionalOperator, lose: Boolean): Unit = coroutineScope {
			val one = async(Dispatchers.Default) { operator.executeAndAwait { work(lose) } }
			launch(Dispatchers.IO) { delay(1) }
			withContext(Dispatchers.IO) { one.await() }
		}

		@DistributedLock(name = "stock", key = "'1'")
		open fun flowElsewhere(operator: TransactionalOperator): Flow<String> = flow {
			operator.executeAndAwait { work() }
			emit("taken")
		}.flowOn(Dispatchers.IO)

		@DistributedLock(name = "stock", key = "'1'")
		open fun transactionalFlow(operator: TransactionalOperator): Flow<String> = flow {
			work()
			emit("taken")
		}.transactional(operator)

		open val depths = CopyOnWriteArrayList<Int>()

		private fun depth() = generateSequence(RunningLocks.current()) { it.outer() }.count()

		@DistributedLock(name = "stock", key = "'1'")
		open fun drain(): Flow<String> = flow {
			delay(5)
			depths.add(depth())
			emit("taken")
		}

		@DistributedLock(name = "stock", key = "'1'")
		open suspend fun take() {
			delay(5)
			depths.add(depth())
		}

		@DistributedLock(name = "stock", key = "'1'")
		open suspend fun takeOnThread(template: TransactionTemplate) {
			delay(5)
			withContext(Dispatchers.IO) {
				delay(5)
				template.executeWithoutResult { provider.loseLast() }
			}
		}

		private suspend fun work(lose: Boolean = true) {
			delay(5)
			if (lose) {
				provider.loseLast()
			}
		}

	}

}
