package io.distributedlock.redisson;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;

/**
 * A subscription that begins when somebody by hand is seen in front of a waiting call.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 */
final class LateSubscription implements ReleaseSignal.Subscription {

	private final Supplier<ReleaseSignal.Subscription> channel;

	private final AtomicReference<ReleaseSignal.@Nullable Subscription> heard = new AtomicReference<>();

	private volatile boolean closed;

	LateSubscription(Supplier<ReleaseSignal.Subscription> channel) {
		this.channel = channel;
	}

	/**
	 * Begin, unless that was done or the subscription has ended.
	 */
	void open() {
		if (this.closed || this.heard.get() != null) {
			return;
		}
		ReleaseSignal.Subscription subscription = this.channel.get();
		if (!this.heard.compareAndSet(null, subscription)) {
			subscription.close();
		}
		else if (this.closed) {
			close();
		}
	}

	@Override
	public void close() {
		this.closed = true;
		ReleaseSignal.Subscription subscription = this.heard.getAndSet(null);
		if (subscription != null) {
			subscription.close();
		}
	}

}
