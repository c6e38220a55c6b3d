package io.distributedlock.engine.internal.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A collection that is nearly always empty, as each lock has several of them: it then
 * costs one small object. An item is added at the end, and equal items may occur twice.
 * Thread-safe; a reader sees the items of one moment.
 *
 * @param <T> the type of the items
 */
public final class FewItems<T> {

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<FewItems, List> ITEMS = AtomicReferenceFieldUpdater
		.newUpdater(FewItems.class, List.class, "items");

	private volatile List<T> items = List.of();

	/**
	 * Return the items of this moment, in the order in which they were added.
	 */
	public List<T> now() {
		return this.items;
	}

	public void add(T item) {
		change((before) -> {
			List<T> after = new ArrayList<>(before);
			after.add(item);
			return after;
		});
	}

	public void remove(T item) {
		removeIf((each) -> each.equals(item));
	}

	public void removeIf(Predicate<T> condition) {
		if (!this.items.isEmpty()) {
			change((before) -> before.stream().filter(condition.negate()).toList());
		}
	}

	private void change(UnaryOperator<List<T>> change) {
		List<T> before;
		do {
			before = this.items;
		}
		while (!ITEMS.compareAndSet(this, before, List.copyOf(change.apply(before))));
	}

}
