package io.distributedlock.autoconfigure.endpoint;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.distributedlock.LockActivity;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * The actuator endpoint {@code locks}: which locks this node holds and which of its calls
 * wait, from memory. No backend is asked, and nothing is changed.
 *
 * @since 0.1
 */
@Endpoint(id = "locks")
public class LocksEndpoint {

	private final Supplier<LockActivity> activity;

	private final List<LockProvider> providers;

	private final RecentLosses losses;

	private final ShownKeys keys;

	LocksEndpoint(Supplier<LockActivity> activity, List<LockProvider> providers, RecentLosses losses, ShownKeys keys) {
		this.activity = activity;
		this.providers = List.copyOf(providers);
		this.losses = losses;
		this.keys = keys;
	}

	/**
	 * Return what this node knows of its locks.
	 * @return the locks that are held, the calls that wait, the last losses, and the
	 * providers
	 */
	@ReadOperation
	public LocksDescriptor locks() {
		LockActivity now = this.activity.get();
		Instant time = Instant.now();
		return new LocksDescriptor(now.held().stream().map((each) -> held(each, time)).toList(),
				now.waiting().stream().map((each) -> waiting(each, time)).toList(),
				this.losses.latestFirst().stream().map(this::lost).toList(),
				this.providers.stream().map(LocksEndpoint::provider).toList());
	}

	private HeldDescriptor held(LockActivity.Held lock, Instant now) {
		return new HeldDescriptor(lock.name(), this.keys.of(lock.key()), lock.provider(), text(lock.type()),
				boxed(lock.fencingToken()), now.minus(lock.heldFor()).toString(), lock.heldFor().toMillis(),
				lock.remaining().toMillis(), lock.autoRenewed(), lock.holders(), lock.waiters(),
				lock.thread().orElse(null));
	}

	private WaitingDescriptor waiting(LockActivity.Waiting call, Instant now) {
		return new WaitingDescriptor(call.name(), this.keys.of(call.key()), call.provider(), text(call.type()),
				now.minus(call.waitedFor()).toString(), call.waitedFor().toMillis(), call.thread().orElse(null));
	}

	private LostDescriptor lost(RecentLosses.Loss loss) {
		return new LostDescriptor(loss.lock().name(), this.keys.of(loss.lock().key()), loss.lock().provider(),
				text(loss.lock().type()), loss.at().toString(), loss.held().toMillis());
	}

	private static ProviderDescriptor provider(LockProvider provider) {
		return new ProviderDescriptor(provider.name(),
				new TreeSet<>(provider.capabilities()).stream().map(LocksEndpoint::text).toList());
	}

	private static String text(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	private static @Nullable Long boxed(OptionalLong number) {
		return number.isPresent() ? number.getAsLong() : null;
	}

	/**
	 * The locks of this node.
	 *
	 * @param held the locks that it holds, those first that it holds for the longest time
	 * @param waiting its calls that wait, those first that wait for the longest time
	 * @param lost the last 50 losses since the start, the latest first
	 * @param providers the providers
	 */
	public record LocksDescriptor(List<HeldDescriptor> held, List<WaitingDescriptor> waiting, List<LostDescriptor> lost,
			List<ProviderDescriptor> providers) {
	}

	/**
	 * A lock that this node holds.
	 *
	 * @param name its name, empty if it has none
	 * @param key its full key or the hash of it, {@code null} if keys are not shown
	 * @param provider the name of the provider
	 * @param type the lock type
	 * @param fencingToken the fencing token, {@code null} if it has none
	 * @param since when it was acquired
	 * @param heldForMs how long ago that was, in milliseconds
	 * @param remainingMs the time until the lease ends, in milliseconds, unless it is
	 * renewed
	 * @param autoRenewed whether the lease is renewed until the release
	 * @param holders how many re-entrant holders share it, at least 1
	 * @param waiters how many calls of this node wait for the key
	 * @param thread the name of the thread that acquired it, {@code null} for a future
	 */
	public record HeldDescriptor(String name, @Nullable String key, String provider, String type,
			@Nullable Long fencingToken, String since, long heldForMs, long remainingMs, boolean autoRenewed,
			int holders, int waiters, @Nullable String thread) {
	}

	/**
	 * A call of this node that waits.
	 *
	 * @param name the name of the lock, empty if it has none
	 * @param key its full key or the hash of it, {@code null} if keys are not shown
	 * @param provider the name of the provider
	 * @param type the lock type
	 * @param since when the call began
	 * @param waitedForMs how long ago that was, in milliseconds
	 * @param thread the name of the thread that waits, {@code null} for a future
	 */
	public record WaitingDescriptor(String name, @Nullable String key, String provider, String type, String since,
			long waitedForMs, @Nullable String thread) {
	}

	/**
	 * A lock that this node has lost.
	 *
	 * @param name its name, empty if it has none
	 * @param key its full key or the hash of it, {@code null} if keys are not shown
	 * @param provider the name of the provider
	 * @param type the lock type
	 * @param at when it was lost
	 * @param heldForMs how long it was held, in milliseconds
	 */
	public record LostDescriptor(String name, @Nullable String key, String provider, String type, String at,
			long heldForMs) {
	}

	/**
	 * A provider.
	 *
	 * @param name its name
	 * @param capabilities what it can do beyond exclusive locks
	 */
	public record ProviderDescriptor(String name, List<String> capabilities) {
	}

}
