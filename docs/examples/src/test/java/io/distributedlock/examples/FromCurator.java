package io.distributedlock.examples;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;

import org.springframework.stereotype.Service;

@Service
class FromCurator {

	private final Index index;

	FromCurator(Index index) {
		this.index = index;
	}

	@DistributedLock(name = "index", key = "#shard", waitTime = "2s")
	public void rebuild(String shard) {
		LockHandle lock = LockContext.current();
		lock.onLost((loss) -> this.index.stop());
		this.index.write(shard, lock.fencingToken().orElseThrow());
	}

	@DistributedLock(name = "index", key = "#shard", waitTime = "0", reentrant = false)
	public void compact(String shard) {
		this.index.stop();
	}

	@DistributedSemaphore(name = "index", permits = "3", waitTime = "2s")
	public void read(String shard) {
		this.index.stop();
	}

	interface Index {

		void write(String shard, long token);

		void stop();

	}

}
