package io.distributedlock.examples

import io.distributedlock.LockRequest
import io.distributedlock.LockTemplate
import io.distributedlock.annotation.DistributedLock
import io.distributedlock.annotation.OnContention
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.future.await
import org.springframework.stereotype.Service

@Service
internal open class CoroutineMails(private val server: CoroutineMailServer) {

	@DistributedLock(name = "mail", key = "#to")
	open suspend fun send(to: String): String = server.send(to)

	@DistributedLock(name = "mail", key = "#to", waitTime = "0", onContention = OnContention.SKIP)
	open suspend fun sendIfFree(to: String): String? = server.send(to)

	@DistributedLock(name = "mail", key = "#to", waitTime = "0")
	open suspend fun sendNumber(to: String, number: Int): String = server.send(to) + " " + number

}

@Service
internal open class CoroutineOutbox(private val mails: CoroutineMails) {

	@DistributedLock(name = "mail", key = "#to")
	open fun drain(to: String): Flow<String> = flow {
		emit(mails.sendNumber(to, 1))
		emit(mails.sendNumber(to, 2))
	}

}

@Service
internal class MailArchive(private val lockTemplate: LockTemplate, private val server: CoroutineMailServer) {

	suspend fun archive(to: String) {
		lockTemplate.acquireAsync(LockRequest.of(to).withName("mail")).await().use { lock ->
			server.send(to)
			lock.ensureHeld()
		}
	}

}

internal fun interface CoroutineMailServer {

	suspend fun send(to: String): String

}
