package io.distributedlock.engine.internal.runtime;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BagTests {

	private final Bag<Thing> bag = new Bag<>();

	@Test
	void findsEachMemberOnce() {
		List<Thing> things = things(10_000);
		things.forEach(this.bag::add);
		assertThat(this.bag.size()).isEqualTo(10_000);
		assertThat(new HashSet<>(this.bag.members())).isEqualTo(new HashSet<>(things));
	}

	@Test
	void removesAMemberOnce() {
		List<Thing> things = things(1_000);
		things.forEach(this.bag::add);
		for (Thing thing : things.subList(0, 500)) {
			assertThat(this.bag.remove(thing)).isTrue();
			assertThat(this.bag.remove(thing)).isFalse();
		}
		assertThat(this.bag.members()).containsExactlyInAnyOrderElementsOf(things.subList(500, 1_000));
	}

	@Test
	void doesNotRemoveWhatItNeverHad() {
		this.bag.add(new Thing());
		assertThat(this.bag.remove(new Thing())).isFalse();
		assertThat(this.bag.size()).isOne();
	}

	@Test
	void doesNotRemoveWhatMovedToAnotherBag() {
		Thing moved = new Thing();
		this.bag.add(moved);
		assertThat(this.bag.remove(moved)).isTrue();
		Bag<Thing> other = new Bag<>();
		things(100).forEach(other::add);
		other.add(moved);
		things(100).forEach(this.bag::add);
		assertThat(this.bag.remove(moved)).isFalse();
		assertThat(this.bag.size()).isEqualTo(100);
		assertThat(other.remove(moved)).isTrue();
	}

	@Test
	void usesThePlacesOfThoseThatHaveLeft() {
		List<Thing> inside = things(8);
		inside.forEach(this.bag::add);
		for (int i = 0; i < 1_000_000; i++) {
			Thing thing = new Thing();
			this.bag.add(thing);
			assertThat(this.bag.remove(thing)).isTrue();
		}
		assertThat(this.bag.members()).containsExactlyInAnyOrderElementsOf(inside);
		assertThat(this.bag.length()).isLessThan(256);
	}

	@Test
	void losesAndDoublesNobodyWhileManyThreadsAddAndRemove() throws Exception {
		int threads = 8;
		AtomicInteger removedTwice = new AtomicInteger();
		CyclicBarrier start = new CyclicBarrier(threads);
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		List<Future<List<Thing>>> results = new ArrayList<>();
		try {
			for (int t = 0; t < threads; t++) {
				Callable<List<Thing>> task = () -> {
					start.await();
					return addAndRemove(removedTwice);
				};
				results.add(pool.submit(task));
			}
			List<Thing> kept = new ArrayList<>();
			for (Future<List<Thing>> result : results) {
				kept.addAll(result.get());
			}
			assertThat(this.bag.size()).isEqualTo(kept.size());
			assertThat(new HashSet<>(this.bag.members())).isEqualTo(new HashSet<>(kept));
			assertThat(removedTwice).hasValue(0);
		}
		finally {
			pool.shutdownNow();
		}
	}

	/**
	 * Each thread also removes what others have added, as a timer thread does.
	 */
	private List<Thing> addAndRemove(AtomicInteger removedTwice) {
		List<Thing> kept = new ArrayList<>();
		for (int i = 0; i < 20_000; i++) {
			Thing stays = new Thing();
			Thing leaves = new Thing();
			leaves.mayLeave = true;
			this.bag.add(stays);
			this.bag.add(leaves);
			kept.add(stays);
			if (i % 1_000 == 0) {
				this.bag.forEach((each) -> leave(each, removedTwice));
			}
			leave(leaves, removedTwice);
		}
		return kept;
	}

	private void leave(Thing thing, AtomicInteger removedTwice) {
		if (thing.mayLeave && this.bag.remove(thing) && thing.removals.incrementAndGet() > 1) {
			removedTwice.incrementAndGet();
		}
	}

	private static List<Thing> things(int count) {
		List<Thing> things = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			things.add(new Thing());
		}
		return things;
	}

	private static final class Thing extends Bag.Member {

		private final AtomicInteger removals = new AtomicInteger();

		private volatile boolean mayLeave;

	}

}
