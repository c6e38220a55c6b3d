package io.distributedlock.engine.internal.monitor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.LockType;
import io.distributedlock.engine.internal.key.CallUnderWay;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.request.KeyId;

/**
 * Finds threads of this JVM that wait for each other's locks. Only blocking calls have a
 * thread; what another instance holds is not known here.
 */
final class Deadlocks {

	private final Map<Thread, List<Wait>> waits = new HashMap<>();

	private final Set<Thread> done = new HashSet<>();

	private final List<List<Wait>> circles = new ArrayList<>();

	private Deadlocks(List<CallUnderWay> waiting, List<HeldLock> held) {
		Map<KeyId, List<HeldLock>> byKey = new HashMap<>();
		// a permit may come from any holder, also from one that waits for nobody
		held.stream()
			.filter((lock) -> lock.attempt().type() != LockType.SEMAPHORE)
			.forEach((lock) -> byKey.computeIfAbsent(lock.attempt().id(), (key) -> new ArrayList<>()).add(lock));
		for (CallUnderWay call : waiting) {
			Thread waiter = call.thread();
			for (HeldLock lock : byKey.getOrDefault(call.attempt().id(), List.of())) {
				Thread holder = lock.thread();
				if (waiter != null && holder != null) {
					this.waits.computeIfAbsent(waiter, (thread) -> new ArrayList<>())
						.add(new Wait(call, waiter, holder));
				}
			}
		}
	}

	/**
	 * Find the circles: each thread waits for a lock of the next one, and the last for
	 * one of the first.
	 */
	static List<List<Wait>> find(List<CallUnderWay> waiting, List<HeldLock> held) {
		Deadlocks search = new Deadlocks(waiting, held);
		search.waits.keySet().forEach((thread) -> search.follow(thread, new ArrayList<>()));
		return search.circles;
	}

	private void follow(Thread thread, List<Wait> path) {
		for (int i = 0; i < path.size(); i++) {
			if (path.get(i).waiter().equals(thread)) {
				this.circles.add(List.copyOf(path.subList(i, path.size())));
				return;
			}
		}
		if (this.done.add(thread)) {
			for (Wait wait : this.waits.getOrDefault(thread, List.of())) {
				path.add(wait);
				follow(wait.holder(), path);
				path.remove(path.size() - 1);
			}
		}
	}

	/**
	 * A call that waits for a lock.
	 *
	 * @param call the call
	 * @param waiter its thread
	 * @param holder the thread that holds the lock
	 */
	record Wait(CallUnderWay call, Thread waiter, Thread holder) {
	}

}
