package io.distributedlock.examples;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.event.LockEvent;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class ContentionCount {

	private final Map<String, Integer> refused = new ConcurrentHashMap<>();

	@EventListener
	void onContention(LockEvent.NotAcquired event) {
		this.refused.merge(event.lock().name(), 1, Integer::sum);
	}

	int refused(String name) {
		return this.refused.getOrDefault(name, 0);
	}

}
