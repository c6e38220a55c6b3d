package io.distributedlock.event;

import io.distributedlock.LockType;

/**
 * Which lock a call asks for or something happened to.
 *
 * @param name the name of the request, empty if it had none. Methods and requests with
 * the same name share it, so there are few of them: it suits as the tag of a meter
 * @param key the full key, as the backend sees it. There may be millions of them
 * @param provider the name of the provider
 * @param type the lock type
 * @since 0.1
 */
public record LockInfo(String name, String key, String provider, LockType type) {
}
