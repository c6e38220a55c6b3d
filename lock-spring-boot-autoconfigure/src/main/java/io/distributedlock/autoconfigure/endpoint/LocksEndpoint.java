package io.distributedlock.autoconfigure.endpoint;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.TreeSet;

import io.distributedlock.event.LockActivity;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The actuator endpoint {@code locks}: which locks this node holds and which of its calls
 * wait, from memory; for one key, who has it according to the backend; and the forced
 * release of a key, which is there only with
 * {@code management.endpoint.locks.access=unrestricted}.
 *
 * @since 0.1
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint {

	private final List<LockProvider> providers;

	private final RecentLosses losses;

	private final KeyOwners owners;

	LocksEndpoint(List<LockProvider> providers, RecentLosses losses, KeyOwners owners) {
		this.providers = List.copyOf(providers);
		this.losses = losses;
		this.owners = owners;
	}

	/**
	 * Return what this node knows of its locks. No backend is asked.
	 * @return the locks that are held, the calls that wait, the last losses, and the
	 * providers
	 */
	@ReadOperation
	public LocksDescriptor locks() {
		Instant time = Instant.now();
		return new LocksDescriptor(
				this.owners.held()
					.sorted(Comparator.comparing(LockActivity.Held::heldFor).reversed())
					.map((each) -> held(each, time))
					.toList(),
				this.owners.waiting()
					.sorted(Comparator.comparing(LockActivity.Waiting::waitedFor).reversed())
					.map((each) -> waiting(each, time))
					.toList(),
				this.losses.latestFirst().stream().map(this::lost).toList(),
				this.providers.stream().map(LocksEndpoint::provider).toList());
	}

	/**
	 * Ask the backend who has a key, on whatever node.
	 * @param provider the name of the provider
	 * @param key the full key, or what {@link #locks()} of this node shows of it
	 * @return the owners
	 */
	@ReadOperation
	public KeyDescriptor key(@Selector String provider, @Selector String key) {
		return this.owners.show(provider, key);
	}

	/**
	 * Take a key from its owner, which may still work on what the key protects.
	 * @param provider the name of the provider
	 * @param key the full key, or what {@link #locks()} of this node shows of it
	 * @param owner the owner that was seen: {@link OwnerDescriptor#owner()}. If it no
	 * longer has the key, nothing changes
	 * @param user who asks for it, for the audit
	 * @return what happened
	 */
	@DeleteOperation
	public ForcedReleaseDescriptor release(@Selector String provider, @Selector String key, String owner,
			SecurityContext user) {
		return this.owners.release(provider, key, owner, user.getPrincipal());
	}

	private HeldDescriptor held(LockActivity.Held lock, Instant now) {
		return new HeldDescriptor(lock.name(), this.owners.keys().of(lock.key()), lock.provider(), text(lock.type()),
				lock.ownerId().map(ShownKeys::hash).orElse(null), boxed(lock.fencingToken()),
				now.minus(lock.heldFor()).toString(), lock.heldFor().toMillis(), lock.remaining().toMillis(),
				lock.autoRenewed(), lock.holders(), lock.waiters(), lock.thread().orElse(null));
	}

	private WaitingDescriptor waiting(LockActivity.Waiting call, Instant now) {
		return new WaitingDescriptor(call.name(), this.owners.keys().of(call.key()), call.provider(), text(call.type()),
				now.minus(call.waitedFor()).toString(), call.waitedFor().toMillis(), call.thread().orElse(null));
	}

	private LostDescriptor lost(RecentLosses.Loss loss) {
		return new LostDescriptor(loss.lock().name(), this.owners.keys().of(loss.lock().key()), loss.lock().provider(),
				text(loss.lock().type()), loss.at().toString(), loss.held().toMillis());
	}

	private static ProviderDescriptor provider(LockProvider provider) {
		return new ProviderDescriptor(provider.name(),
				new TreeSet<>(provider.capabilities()).stream().map(LocksEndpoint::text).toList());
	}

	static String text(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	static @Nullable Long boxed(OptionalLong number) {
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
			List<ProviderDescriptor> providers) implements OperationResponseBody {
	}

	/**
	 * A lock that this node holds.
	 *
	 * @param name its name, empty if it has none
	 * @param key its full key or the hash of it, {@code null} if keys are not shown
	 * @param provider the name of the provider
	 * @param type the lock type
	 * @param owner what stands for this grant at {@link #key}, {@code null} if the
	 * provider cannot say who has a key
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
			@Nullable String owner, @Nullable Long fencingToken, String since, long heldForMs, long remainingMs,
			boolean autoRenewed, int holders, int waiters, @Nullable String thread) {
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

	/**
	 * The owners of a key.
	 *
	 * @param key the full key or the hash of it, {@code null} if keys are not shown
	 * @param provider the name of the provider
	 * @param owners who has the key: nobody, one owner, or several with shares or
	 * permits; {@code null} if the backend has not said it
	 * @param waitersHere how many calls of this node wait for the key
	 * @param error why the backend has not said it, {@code null} if it has
	 */
	public record KeyDescriptor(@Nullable String key, String provider, @Nullable List<OwnerDescriptor> owners,
			int waitersHere, @Nullable String error) implements OperationResponseBody {
	}

	/**
	 * An owner of a key.
	 *
	 * @param owner what stands for this one grant: the node that has it shows the same
	 * {@link HeldDescriptor#owner()}
	 * @param type {@code exclusive}, {@code read} or {@code semaphore}
	 * @param fencingToken the fencing token, {@code null} if the backend does not keep it
	 * with the owner
	 * @param remainingMs how long the lease runs unless it is renewed, {@code null} if
	 * the backend does not tell
	 * @param heldHere whether this node is the owner
	 */
	public record OwnerDescriptor(String owner, String type, @Nullable Long fencingToken, @Nullable Long remainingMs,
			boolean heldHere) {
	}

	/**
	 * What came of a forced release.
	 *
	 * @param outcome {@code released}; {@code not-owner} if the owner did not have the
	 * key any more, and nothing was changed; or {@code unknown} if the backend failed
	 * @param fencingToken a token that is higher than those of the former owner,
	 * {@code null} if there are none, or if another owner has the key already
	 * @param error what the backend failed with, otherwise {@code null}
	 */
	public record ForcedReleaseDescriptor(String outcome, @Nullable Long fencingToken,
			@Nullable String error) implements OperationResponseBody {
	}

}
