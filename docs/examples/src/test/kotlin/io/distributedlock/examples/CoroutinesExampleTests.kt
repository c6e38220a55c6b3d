package io.distributedlock.examples

import io.distributedlock.LockRequest
import io.distributedlock.annotation.DistributedLock
import io.distributedlock.annotation.OnContention
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility
import org.junit.jupiter.api.Test
import org.springframework.context.ConfigurableApplicationContext

internal class CoroutinesExampleTests : OnEveryProvider() {

	@Test
	fun suspendingFunctionIsLockedToItsEnd() = runBlocking<Unit> {
		val first = node(Mails::class.java).getBean(Mails::class.java)
		val second = node(Mails::class.java)
		val answer = CompletableDeferred<String>()
		val sending = async(Dispatchers.Default) { first.send("a", answer) }
		Awaitility.await().until { !isFree(second, "a") }
		assertThat(second.getBean(Mails::class.java).sendIfFree("a")).isNull()
		answer.complete("accepted")
		assertThat(sending.await()).isEqualTo("accepted")
		assertThat(isFree(second, "a")).isTrue()
	}

	@Test
	fun cancelledCoroutineGivesItsLockBack() = runBlocking<Unit> {
		val first = node(Mails::class.java).getBean(Mails::class.java)
		val second = node()
		val sending = launch(Dispatchers.Default) { first.send("b", CompletableDeferred()) }
		Awaitility.await().until { !isFree(second, "b") }
		sending.cancelAndJoin()
		Awaitility.await().until { isFree(second, "b") }
	}

	@Test
	fun flowIsLockedByEachCollectorAndCallsInsideReenter() = runBlocking<Unit> {
		val mails = node(Mails::class.java).getBean(Mails::class.java)
		val other = node()
		val flow = mails.drain("c", mails).onEach { assertThat(isFreeElsewhere(other, "c")).isFalse() }
		repeat(2) {
			assertThat(isFree(other, "c")).isTrue()
			assertThat(flow.toList()).containsExactly("sent 1", "sent 2")
		}
		assertThat(isFree(other, "c")).isTrue()
	}

	@Test
	fun blockOfCodeIsLockedToItsEnd() {
		val node = node()
		locks(node).acquire(LockRequest.of("d").withName("mail")).use { it.ensureHeld() }
		assertThat(isFree(node(), "d")).isTrue()
	}

	private suspend fun isFreeElsewhere(node: ConfigurableApplicationContext, to: String) =
		withContext(Dispatchers.IO) { isFree(node, to) }

	private fun isFree(node: ConfigurableApplicationContext, to: String) =
		locks(node).tryAcquire(LockRequest.of(to).withName("mail")).map { it.close() }.isPresent

	open class Mails {

		@DistributedLock(name = "mail", key = "#to")
		open suspend fun send(to: String, answer: CompletableDeferred<String>): String = answer.await()

		@DistributedLock(name = "mail", key = "#to", waitTime = "0", onContention = OnContention.SKIP)
		open suspend fun sendIfFree(to: String): String? = "accepted"

		@DistributedLock(name = "mail", key = "#to", waitTime = "0")
		open suspend fun sendOne(to: String, number: Int): String = "sent $number"

		@DistributedLock(name = "mail", key = "#to")
		open fun drain(to: String, self: Mails): Flow<String> = flow {
			emit(self.sendOne(to, 1))
			emit(self.sendOne(to, 2))
		}

	}

}
