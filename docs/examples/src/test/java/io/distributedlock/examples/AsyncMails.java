package io.distributedlock.examples;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

@Service
class AsyncMails {

	private final Mails.MailServer server;

	AsyncMails(Mails.MailServer server) {
		this.server = server;
	}

	@Async
	@DistributedLock(name = "mail", key = "#to")
	public void sendLater(String to) {
		this.server.send(to).join();
	}

	@Async
	public CompletableFuture<String> sendUnlocked(String to) {
		return CompletableFuture.completedFuture(this.server.send(to).join());
	}

}
