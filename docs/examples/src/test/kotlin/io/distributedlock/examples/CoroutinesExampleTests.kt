package io.distributedlock.examples

import io.distributedlock.LockRequest
import io.distributedlock.test.patience.Patience
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.context.ConfigurableApplicationContext

internal class CoroutinesExampleTests : OnEveryProvider() {

	@Test
	fun suspendingFunctionIsLockedToItsEnd() = runBlocking<Unit> {
		val first = node(CoroutineMails::class.java, SlowServer::class.java)
		val second = node(CoroutineMails::class.java, SlowServer::class.java)
		val sending = async(Dispatchers.Default) { mails(first).send("a") }
		Patience.await().until { !isFree(second, "a") }
		assertThat(mails(second).sendIfFree("a")).isNull()
		server(first).answer()
		assertThat(sending.await()).isEqualTo("accepted")
		assertThat(isFree(second, "a")).isTrue()
	}

	@Test
	fun cancelledCoroutineReleasesItsLock() = runBlocking<Unit> {
		val first = node(CoroutineMails::class.java, SlowServer::class.java)
		val second = node()
		val sending = launch(Dispatchers.Default) { mails(first).send("b") }
		Patience.await().until { !isFree(second, "b") }
		sending.cancelAndJoin()
		Patience.await().until { isFree(second, "b") }
	}

	@Test
	fun flowIsLockedByEachCollectorAndCallsInsideReenter() = runBlocking<Unit> {
		val node = node(CoroutineMails::class.java, CoroutineOutbox::class.java, SlowServer::class.java)
		val other = node()
		server(node).answer()
		val flow = node.getBean(CoroutineOutbox::class.java).drain("c")
			.onEach { assertThat(isFreeElsewhere(other, "c")).isFalse() }
		repeat(2) {
			assertThat(isFree(other, "c")).isTrue()
			assertThat(flow.toList()).containsExactly("accepted 1", "accepted 2")
		}
		assertThat(isFree(other, "c")).isTrue()
	}

	@Test
	fun blocksOfCodeOnOneThreadAreLockedToTheirEnd() = runBlocking<Unit> {
		val other = node()
		var inside = 0
		val archive = MailArchive(locks(node())) { to ->
			assertThat(++inside).isOne()
			assertThat(isFreeElsewhere(other, to)).isFalse()
			inside--
			"archived"
		}
		List(2) { launch { archive.archive("d") } }.joinAll()
		assertThat(isFree(other, "d")).isTrue()
	}

	private fun mails(node: ConfigurableApplicationContext) = node.getBean(CoroutineMails::class.java)

	private fun server(node: ConfigurableApplicationContext) = node.getBean(SlowServer::class.java)

	private suspend fun isFreeElsewhere(node: ConfigurableApplicationContext, to: String) =
		withContext(Dispatchers.IO) { isFree(node, to) }

	private fun isFree(node: ConfigurableApplicationContext, to: String) =
		locks(node).tryAcquire(LockRequest.of(to).withName("mail")).map { it.close() }.isPresent

	class SlowServer : CoroutineMailServer {

		private val answer = CompletableDeferred<String>()

		fun answer() = answer.complete("accepted")

		override suspend fun send(to: String): String = answer.await()

	}

}
