package io.distributedlock.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

import io.distributedlock.LockType;

/**
 * An owner of a key, as its backend knows it.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 *
 * @param id what names this one grant on the backend, see {@link Lease#ownerId()}. Two
 * grants never have the same, also to the same caller. Also an owner that this library
 * has not made has one
 * @param type {@link LockType#READ} for one of several readers,
 * {@link LockType#SEMAPHORE} for the owner of a permit, and {@link LockType#EXCLUSIVE}
 * for whoever has the key alone: few backends know what such an owner asked for
 * @param fencingToken the fencing token of the grant, the last one if it brought several,
 * if the backend keeps it with the owner
 * @param remaining how long the lease still runs unless it is renewed, if the backend
 * knows it
 * @since 0.1
 */
public record LockOwner(String id, LockType type, OptionalLong fencingToken, Optional<Duration> remaining) {

	/**
	 * Create an owner.
	 * @param id what names the grant on the backend
	 * @param type the lock type
	 * @param fencingToken the fencing token, if the backend keeps it
	 * @param remaining how long the lease still runs, if the backend knows it
	 */
	public LockOwner {
		if (type == LockType.FAIR || type == LockType.WRITE) {
			type = LockType.EXCLUSIVE;
		}
	}

	/**
	 * Create an owner of which the backend keeps no fencing token.
	 * @param id what names the grant on the backend
	 * @param type the lock type
	 * @param remaining how long the lease still runs
	 */
	public LockOwner(String id, LockType type, Duration remaining) {
		this(id, type, OptionalLong.empty(), Optional.of(remaining));
	}

	/**
	 * Does not contain the name of the owner, which must not appear in a log.
	 */
	@Override
	public String toString() {
		return "LockOwner[type=%s, fencingToken=%s, remaining=%s]".formatted(this.type, this.fencingToken,
				this.remaining);
	}

}
