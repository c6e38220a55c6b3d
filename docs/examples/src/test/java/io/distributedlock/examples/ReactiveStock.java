package io.distributedlock.examples;

import io.distributedlock.annotation.DistributedLock;
import reactor.core.publisher.Mono;

import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class ReactiveStock {

	private final DatabaseClient database;

	ReactiveStock(DatabaseClient database) {
		this.database = database;
	}

	@Transactional
	@DistributedLock(name = "stock", key = "#item", waitTime = "5s")
	public Mono<Void> take(int item) {
		return this.database.sql("update stock set amount = amount - 1 where id = :id").bind("id", item).then();
	}

}
