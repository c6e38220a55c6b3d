package io.distributedlock.event;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import io.distributedlock.LockType;

/**
 * The locks that a template holds at one moment, and the calls that wait. For displays:
 * while it is read, locks come and go.
 *
 * @param held the locks that are held, those first that are held for the longest time
 * @param waiting the calls that wait, those first that wait for the longest time
 * @since 0.1
 */
public record LockActivity(List<Held> held, List<Waiting> waiting) {

	/**
	 * Create an activity.
	 * @param held the locks that are held
	 * @param waiting the calls that wait
	 */
	public LockActivity {
		held = List.copyOf(held);
		waiting = List.copyOf(waiting);
	}

	/**
	 * A lock that is held in this JVM.
	 *
	 * @param name the name of the request, empty if it had none
	 * @param key the full key, as the backend sees it
	 * @param provider the name of the provider
	 * @param type the lock type
	 * @param ownerId what names this grant on the backend, if the provider can say who
	 * has a key; see {@link io.distributedlock.spi.LockOwner#id()}
	 * @param fencingToken the fencing token, if the provider has tokens
	 * @param heldFor the time since the holder got the lock
	 * @param remaining the time until the lease ends, unless it is renewed
	 * @param autoRenewed whether the lease is renewed until the lock is released
	 * @param holders how many re-entrant holders share the lock, at least 1
	 * @param waiters how many calls of this JVM wait for the key
	 * @param thread the name of the thread that got the lock by a blocking call; empty
	 * for a future
	 */
	public record Held(String name, String key, String provider, LockType type, Optional<String> ownerId,
			OptionalLong fencingToken, Duration heldFor, Duration remaining, boolean autoRenewed, int holders,
			int waiters, Optional<String> thread) {
	}

	/**
	 * A call of this JVM that waits.
	 *
	 * @param name the name of the request, empty if it had none
	 * @param key the full key, as the backend sees it
	 * @param provider the name of the provider
	 * @param type the lock type
	 * @param waitedFor the time since the call began
	 * @param thread the name of the thread that waits; empty for a future
	 */
	public record Waiting(String name, String key, String provider, LockType type, Duration waitedFor,
			Optional<String> thread) {
	}

}
