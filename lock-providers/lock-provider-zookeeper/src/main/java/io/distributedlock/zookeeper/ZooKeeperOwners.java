package io.distributedlock.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.distributedlock.LockType;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import org.apache.zookeeper.data.Stat;

/**
 * Says who has a key by its nodes, and deletes the node of an owner. How long an owner
 * still has its node is not known: a node lives as long as its session.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 */
final class ZooKeeperOwners implements LockOwners {

	private final ZooKeeperCalls calls;

	private final String root;

	ZooKeeperOwners(ZooKeeperCalls calls, String root) {
		this.calls = calls;
		this.root = root;
	}

	/**
	 * Return the node below which the nodes of a lock are.
	 */
	static String parentOf(String root, String key, LockType type) {
		// a semaphore and a lock with the same key do not exclude each other
		return root + "/" + key + ((type == LockType.SEMAPHORE) ? "~permits" : "");
	}

	/**
	 * Read the nodes, after the server has caught up with the leader: one that is behind
	 * would show those who had the key before.
	 */
	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return this.calls.sync(this.root).thenCompose((synced) -> {
			CompletableFuture<List<LockOwner>> locks = read(parentOf(this.root, key, LockType.EXCLUSIVE), false);
			CompletableFuture<List<LockOwner>> permits = read(parentOf(this.root, key, LockType.SEMAPHORE), true);
			return locks.thenCombine(permits, (some, others) -> Stream.concat(some.stream(), others.stream()).toList());
		});
	}

	private CompletableFuture<List<LockOwner>> read(String parent, boolean semaphore) {
		return this.calls.children(parent).thenCompose((children) -> {
			CompletableFuture<List<LockOwner>> owners = CompletableFuture.completedFuture(new ArrayList<>());
			for (QueueNode node : QueueNode.granted(QueueNode.of(children))) {
				owners = owners.thenCombine(owner(parent, node, semaphore), (before, owner) -> {
					before.add(owner);
					return before;
				});
			}
			return owners;
		});
	}

	private CompletableFuture<LockOwner> owner(String parent, QueueNode node, boolean semaphore) {
		if (semaphore) {
			return CompletableFuture.completedFuture(owner(node, LockType.SEMAPHORE, OptionalLong.empty()));
		}
		LockType type = QueueNode.isWriter(node.name()) ? LockType.EXCLUSIVE : LockType.READ;
		return this.calls.look(parent + "/" + node.name()).thenApply((event) -> {
			Stat stat = event.getStat();
			return owner(node, type,
					(stat != null) ? OptionalLong.of(ZooKeeperLease.lastTokenOf(stat)) : OptionalLong.empty());
		});
	}

	private static LockOwner owner(QueueNode node, LockType type, OptionalLong token) {
		return new LockOwner(QueueNode.ownerOf(node.name()), type, token, Optional.empty());
	}

	/**
	 * Delete the node as its owner would. No other owner ever has a node of the same
	 * name.
	 */
	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return this.calls.delete(parentOf(this.root, key, owner.type()) + "/"
				+ QueueNode.nameOf(owner.type() == LockType.READ, owner.id()));
	}

}
