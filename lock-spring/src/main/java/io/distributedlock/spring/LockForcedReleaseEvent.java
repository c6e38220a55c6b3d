package io.distributedlock.spring;

import java.util.OptionalLong;

import io.distributedlock.LockType;

/**
 * Somebody has taken a lock from its owner, on this node or another, through the actuator
 * endpoint of this node. The former owner may still work. Published on the thread of that
 * request.
 *
 * @param key the full key
 * @param provider the name of the provider
 * @param type what the former owner had: {@link LockType#READ},
 * {@link LockType#SEMAPHORE}, or {@link LockType#EXCLUSIVE} for all other types
 * @param fencingToken a token that is higher than those of the former owner: a resource
 * that has seen it refuses that owner. Empty if the provider or type has no tokens, if
 * another owner has the lock already, or if the token could not be fetched
 * @param principal who did it, {@code anonymous} if the request was not authenticated
 * @since 0.1
 */
public record LockForcedReleaseEvent(String key, String provider, LockType type, OptionalLong fencingToken,
		String principal) {
}
