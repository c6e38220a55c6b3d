package io.distributedlock.zookeeper;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.spi.support.OwnerNames;

/**
 * The owners of this JVM that wait or have a lock. A node of another owner of this JVM is
 * about to be removed, and is no reason to refuse a call. Thread-safe.
 * <p>
 * Why: docs/decisions/035-zookeeper-term.md
 */
final class LocalOwners {

	private final OwnerNames names = new OwnerNames();

	private final Set<String> present = ConcurrentHashMap.newKeySet();

	/**
	 * Return the name of a new owner.
	 */
	String next() {
		String owner = this.names.next();
		this.present.add(owner);
		return owner;
	}

	/**
	 * Note that an owner neither waits nor has a lock any more.
	 */
	void ended(String owner) {
		this.present.remove(owner);
	}

	int count() {
		return this.present.size();
	}

	/**
	 * Return those nodes that are not about to be removed.
	 */
	List<QueueNode> remaining(List<QueueNode> nodes) {
		return nodes.stream()
			.filter((node) -> !node.owner().startsWith(this.names.node()) || this.present.contains(node.owner()))
			.toList();
	}

}
