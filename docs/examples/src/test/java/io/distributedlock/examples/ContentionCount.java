package io.distributedlock.examples;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockNotAcquiredException.Reason;

import org.springframework.stereotype.Component;

@Component
class ContentionCount implements LockListener {

	private final Map<String, Integer> refused = new ConcurrentHashMap<>();

	@Override
	public void notAcquired(LockEvent event, Duration waited, Reason reason) {
		this.refused.merge(event.name(), 1, Integer::sum);
	}

	int refused(String name) {
		return this.refused.getOrDefault(name, 0);
	}

}
