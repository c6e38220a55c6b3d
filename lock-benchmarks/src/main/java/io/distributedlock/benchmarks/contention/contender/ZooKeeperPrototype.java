package io.distributedlock.benchmarks.contention.contender;

import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * The least that a line of waiters costs on ZooKeeper, as the limit of a run: one watch
 * of all nodes for each JVM, and for each section a node that is created, a look at the
 * line, and a delete. There is nothing that makes a lock safe.
 */
final class ZooKeeperPrototype implements Contender {

	private static final String ROOT = "/prototype";

	private final Predecessors predecessors = new Predecessors();

	private final CuratorFramework client;

	ZooKeeperPrototype(String url) throws Exception {
		this.client = Coordination.zooKeeperClient(url);
		this.client.create().orSetData().forPath(ROOT);
		this.client.watchers()
			.add()
			.withMode(AddWatchMode.PERSISTENT_RECURSIVE)
			.usingWatcher((org.apache.zookeeper.Watcher) this::happened)
			.forPath(ROOT);
	}

	@Override
	public Hold lock(String key, Duration wait) throws Exception {
		String line = ROOT + "/" + key;
		String own = this.client.create()
			.creatingParentsIfNeeded()
			.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
			.forPath(line + "/n");
		List<String> inLine = this.client.getChildren().forPath(line).stream().sorted().toList();
		int place = inLine.indexOf(own.substring(line.length() + 1));
		if (place > 0) {
			this.predecessors.awaitEnd(line + "/" + inLine.get(place - 1));
		}
		return () -> this.client.delete().forPath(own);
	}

	private void happened(WatchedEvent event) {
		if (event.getType() == EventType.NodeDeleted) {
			this.predecessors.ended(event.getPath());
		}
	}

}
