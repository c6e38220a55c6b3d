package io.distributedlock.examples

import io.distributedlock.LockRequest
import io.distributedlock.LockTemplate
import io.distributedlock.annotation.DistributedLock
import io.distributedlock.annotation.OnContention
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
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
internal class MailArchive(private val lockTemplate: LockTemplate, private val server: BlockingMailServer) {

	fun archive(to: String) {
		lockTemplate.acquire(LockRequest.of(to).withName("mail")).use { lock ->
			server.archive(to)
			lock.ensureHeld()
		}
	}

}

internal interface CoroutineMailServer {

	suspend fun send(to: String): String

}

internal fun interface BlockingMailServer {

	fun archive(to: String)

}
