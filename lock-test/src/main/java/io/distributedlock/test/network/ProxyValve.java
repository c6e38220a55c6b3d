package io.distributedlock.test.network;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.test.network.TcpProxy.Direction;

/**
 * The faults of each direction, of a proxy or of one connection. Thread-safe.
 */
final class ProxyValve {

	private final Set<Direction> dropped = ConcurrentHashMap.newKeySet();

	private final Set<Direction> held = ConcurrentHashMap.newKeySet();

	private final Map<Direction, Duration> delays = new ConcurrentHashMap<>();

	void drop(Direction direction) {
		this.dropped.add(direction);
	}

	void hold(Direction direction) {
		this.held.add(direction);
	}

	void delay(Direction direction, Duration delay) {
		this.delays.put(direction, delay);
	}

	void open() {
		this.dropped.clear();
		this.held.clear();
		this.delays.clear();
	}

	boolean isDropping(Direction direction) {
		return this.dropped.contains(direction);
	}

	boolean isHolding(Direction direction) {
		return this.held.contains(direction);
	}

	Duration delay(Direction direction) {
		return this.delays.getOrDefault(direction, Duration.ZERO);
	}

}
