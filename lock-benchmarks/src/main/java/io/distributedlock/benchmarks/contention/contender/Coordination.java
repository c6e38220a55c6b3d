package io.distributedlock.benchmarks.contention.contender;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import com.spotify.folsom.MemcacheClient;
import com.spotify.folsom.MemcacheClientBuilder;
import io.distributedlock.LockType;
import io.distributedlock.etcd.EtcdLockProvider;
import io.distributedlock.memcached.MemcachedLockProvider;
import io.distributedlock.zookeeper.ZooKeeperLockProvider;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Lock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;

/**
 * Locks on etcd, ZooKeeper and Memcached: this library's and others'.
 */
final class Coordination {

	private static final long ETCD_LEASE_SECONDS = 300;

	private Coordination() {
	}

	static Contender etcd(String url) {
		return Ours.contender(
				new EtcdLockProvider(etcdClient(url), EtcdLockProvider.DEFAULT_PREFIX, Ours.COMMAND_TIMEOUT),
				LockType.EXCLUSIVE, Peers.LEASE);
	}

	/**
	 * etcd's own lock. Each thread has a lease, because the lock belongs to the lease.
	 */
	static Contender etcdLock(String url) {
		Client client = etcdClient(url);
		Lock locks = client.getLockClient();
		ThreadLocal<Long> leases = ThreadLocal
			.withInitial(() -> client.getLeaseClient().grant(ETCD_LEASE_SECONDS).join().getID());
		return (key, wait) -> {
			ByteSequence held = locks.lock(ByteSequence.from(key, StandardCharsets.UTF_8), leases.get()).get().getKey();
			return () -> locks.unlock(held).get();
		};
	}

	static Contender zooKeeper(String url) {
		return Ours.contender(new ZooKeeperLockProvider(zooKeeperClient(url), ZooKeeperLockProvider.DEFAULT_ROOT,
				Ours.COMMAND_TIMEOUT), LockType.EXCLUSIVE, null);
	}

	static Contender curatorMutex(String url) {
		CuratorFramework client = zooKeeperClient(url);
		return (key, wait) -> {
			InterProcessMutex mutex = new InterProcessMutex(client, "/mutexes/" + key);
			return mutex.acquire(wait.toMillis(), TimeUnit.MILLISECONDS) ? mutex::release : null;
		};
	}

	static Contender memcached(String url) {
		String[] server = url.split(":", 2);
		MemcacheClient<String> client = MemcacheClientBuilder.newStringClient()
			.withAddress(server[0], Integer.parseInt(server[1]))
			.withConnections(1)
			.connectAscii();
		return Ours.contender(new MemcachedLockProvider(client, Ours.COMMAND_TIMEOUT), LockType.EXCLUSIVE, Peers.LEASE);
	}

	private static Client etcdClient(String url) {
		return Client.builder().endpoints(url).build();
	}

	static CuratorFramework zooKeeperClient(String url) {
		CuratorFramework client = CuratorFrameworkFactory.newClient(url, new RetryOneTime(100));
		client.start();
		return client;
	}

}
