package io.distributedlock.engine.internal.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * An unordered collection of objects that know their place in it. To add one and to
 * remove one costs a single compare-and-set each, and no memory: what is under way, held
 * or timed changes with every call, and a hash table would make a node for each. Its
 * parts are tables, each twice as long as the one before. A part that is nearly full is
 * followed by the next one; the memory stays in proportion to the most members that it
 * ever had. Iteration is weakly consistent, as that of {@code ConcurrentHashMap}.
 * Thread-safe.
 *
 * @param <M> the type of the members
 */
public final class Bag<M extends Bag.Member> {

	private static final int FIRST_LENGTH_BITS = 4;

	/**
	 * The last part alone would have 2^29 places.
	 */
	private static final int MOST_PARTS = 26;

	/**
	 * If so many places in a row are taken, about two thirds of the part are.
	 */
	private static final int MOST_PROBES = 32;

	private final AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable M>> parts = new AtomicReferenceArray<>(
			MOST_PARTS);

	/**
	 * The part for new members.
	 */
	private volatile int newest;

	/**
	 * Add a member, which is in no bag. It knows its place before others find it.
	 */
	public void add(M member) {
		while (true) {
			int number = this.newest;
			if (place(member, number)) {
				return;
			}
			// another thread may have done so
			if (number == this.newest) {
				this.newest = Math.min(number + 1, MOST_PARTS - 1);
			}
		}
	}

	private boolean place(M member, int number) {
		AtomicReferenceArray<@Nullable M> part = part(number);
		int mask = part.length() - 1;
		Member written = member;
		int start = ThreadLocalRandom.current().nextInt();
		for (int probe = 0; probe < MOST_PROBES && probe <= mask; probe++) {
			int at = (start + probe) & mask;
			if (part.getPlain(at) == null) {
				written.place = firstOf(number) + at;
				if (part.compareAndSet(at, null, member)) {
					return true;
				}
			}
		}
		return false;
	}

	private AtomicReferenceArray<@Nullable M> part(int number) {
		AtomicReferenceArray<@Nullable M> known = this.parts.get(number);
		if (known != null) {
			return known;
		}
		AtomicReferenceArray<@Nullable M> created = new AtomicReferenceArray<>(1 << (FIRST_LENGTH_BITS + number));
		AtomicReferenceArray<@Nullable M> before = this.parts.compareAndExchange(number, null, created);
		return (before != null) ? before : created;
	}

	/**
	 * Remove a member.
	 * @return {@code false} if it is not in this bag
	 */
	public boolean remove(M member) {
		Member known = member;
		int place = known.place;
		int number = partOf(place);
		AtomicReferenceArray<@Nullable M> part = this.parts.get(number);
		// an object that went to another bag meanwhile may have a place that is not here
		return part != null && part.compareAndSet(place - firstOf(number), member, null);
	}

	void forEach(Consumer<M> action) {
		for (int number = 0; number < MOST_PARTS; number++) {
			AtomicReferenceArray<@Nullable M> part = this.parts.get(number);
			for (int at = 0; part != null && at < part.length(); at++) {
				M member = part.get(at);
				if (member != null) {
					action.accept(member);
				}
			}
		}
	}

	/**
	 * Return the members of this moment.
	 */
	public List<M> members() {
		List<M> members = new ArrayList<>();
		forEach(members::add);
		return members;
	}

	public int size() {
		return members().size();
	}

	/**
	 * Return how many members it has room for.
	 */
	int length() {
		int length = 0;
		for (int number = 0; number < MOST_PARTS && this.parts.get(number) != null; number++) {
			length += 1 << (FIRST_LENGTH_BITS + number);
		}
		return length;
	}

	private static int firstOf(int number) {
		return ((1 << number) - 1) << FIRST_LENGTH_BITS;
	}

	private static int partOf(int place) {
		return Integer.SIZE - 1 - Integer.numberOfLeadingZeros((place >> FIRST_LENGTH_BITS) + 1);
	}

	/**
	 * An object that can be in one bag at a time.
	 */
	public abstract static class Member {

		/**
		 * Where it is, or was last. Written before others find it there.
		 */
		private volatile int place;

	}

}
