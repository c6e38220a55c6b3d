package io.distributedlock;

/**
 * The lock that something happened to, and when.
 *
 * @param name the name of the request, empty if it had none. Methods and requests with
 * the same name share it, so there are few of them: it suits as the tag of a meter
 * @param key the full key, as the backend sees it. There may be millions of them
 * @param provider the name of the provider
 * @param type the lock type
 * @param atNanos when it happened, on the scale of {@link System#nanoTime()}
 * @since 0.1
 */
public record LockEvent(String name, String key, String provider, LockType type, long atNanos) {
}
