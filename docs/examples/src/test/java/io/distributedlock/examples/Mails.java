package io.distributedlock.examples;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import reactor.core.publisher.Mono;

import org.springframework.stereotype.Service;

@Service
class Mails {

	private final MailServer server;

	Mails(MailServer server) {
		this.server = server;
	}

	@DistributedLock(name = "mail", key = "#to")
	public CompletableFuture<String> send(String to) {
		return this.server.send(to);
	}

	@DistributedLock(name = "mail", key = "#to", waitTime = "1s")
	public Mono<String> sendReactively(String to) {
		return this.server.sendReactively(to);
	}

	@DistributedLock(name = "mail", key = "#to")
	public Mono<String> sendNumber(String to, int number) {
		return Mono.deferContextual((context) -> {
			LockContext locks = context.get(LockContext.class);
			locks.innermost().orElseThrow().ensureHeld();
			return this.server.sendReactively(to).map((answer) -> answer + " " + number);
		});
	}

	interface MailServer {

		CompletableFuture<String> send(String to);

		Mono<String> sendReactively(String to);

	}

}
