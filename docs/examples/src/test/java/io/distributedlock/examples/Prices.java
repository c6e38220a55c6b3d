package io.distributedlock.examples;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.OnUnavailable;

import org.springframework.stereotype.Service;

@Service
class Prices {

	private final Map<String, BigDecimal> lastKnown = new ConcurrentHashMap<>();

	private final Exchange exchange;

	Prices(Exchange exchange) {
		this.exchange = exchange;
	}

	@DistributedLock(name = "prices", key = "#currency", waitTime = "0", onContention = OnContention.SKIP)
	public Optional<BigDecimal> refresh(String currency) {
		return Optional.of(fetch(currency));
	}

	@DistributedLock(name = "prices", key = "#currency", waitTime = "200ms", fallback = "lastKnown")
	public BigDecimal current(String currency) {
		return fetch(currency);
	}

	BigDecimal lastKnown(String currency, LockNotAcquiredException contention) {
		return this.lastKnown.getOrDefault(currency, BigDecimal.ZERO);
	}

	@DistributedLock(name = "prices", key = "#currency", waitTime = "200ms", handler = "busyAnswer")
	public String page(String currency) {
		return "1 EUR = " + fetch(currency) + " " + currency;
	}

	@DistributedLock(name = "prices", key = "#currency", waitTime = "30s", maxWaiters = 10)
	public BigDecimal exact(String currency) {
		return fetch(currency);
	}

	@DistributedLock(name = "prices", key = "#currency", onUnavailable = OnUnavailable.PROCEED)
	public BigDecimal evenTwice(String currency) {
		return fetch(currency);
	}

	private BigDecimal fetch(String currency) {
		BigDecimal rate = this.exchange.rate(currency);
		this.lastKnown.put(currency, rate);
		return rate;
	}

	interface Exchange {

		BigDecimal rate(String currency);

	}

}
