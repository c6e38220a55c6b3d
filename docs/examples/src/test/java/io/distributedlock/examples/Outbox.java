package io.distributedlock.examples;

import io.distributedlock.annotation.DistributedLock;
import reactor.core.publisher.Flux;

import org.springframework.stereotype.Service;

@Service
class Outbox {

	private final Mails mails;

	Outbox(Mails mails) {
		this.mails = mails;
	}

	@DistributedLock(name = "mail", key = "#to")
	public Flux<String> drain(String to) {
		return Flux.just(1, 2).concatMap((number) -> this.mails.sendNumber(to, number));
	}

}
