package io.distributedlock.examples;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class MailQueue {

	private final AsyncMails mails;

	MailQueue(AsyncMails mails) {
		this.mails = mails;
	}

	@DistributedLock(name = "mail", key = "#to")
	public CompletableFuture<String> send(String to) {
		return this.mails.sendUnlocked(to);
	}

}
