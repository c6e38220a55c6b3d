package io.distributedlock;

/**
 * Decides the full key of a lock: what the backend sees. All applications that are to
 * exclude each other need the same full key. A layout makes the keys that other code
 * already uses; an application with several kinds of keys tells them apart by the name:
 *
 * <pre>{@code
 * (prefix, name, key) -> name.equals("settle") ? "lock4j:com.shop.Orders.settle#" + key
 * 		: LockKeyLayout.DEFAULT.fullKey(prefix, name, key)
 * }</pre>
 *
 * A full key is not escaped. It has at most 200 bytes in UTF-8 and no control character,
 * and a provider without {@link LockCapability#ANY_KEY} refuses more than that. A call
 * fails with {@link InvalidLockKeyException} if its full key is refused, or if this
 * function returns {@code null} or throws an exception. It must be thread-safe and fast,
 * and always return the same for the same arguments. A Spring Boot application declares
 * it as a bean; with {@code lock.fail-fast} it is also asked for keys without a name that
 * begin with {@code start-check-}.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LockKeyLayout {

	/**
	 * The default: {@code prefix:name:key}. A part that is missing leaves no colon:
	 * {@code prefix:key}, {@code prefix:name}, {@code name:key}, {@code key}. So a
	 * request with only the name {@code x} and a request with only the key {@code x} are
	 * one lock. Otherwise two different pairs of name and key never have the same full
	 * key.
	 * <p>
	 * In name and key everything but letters, digits and {@code . - _ $ # @ = + , ( )} is
	 * escaped with percent signs; the prefix may contain colons as well. If the full key
	 * would be longer than 200 characters, a SHA-256 stands for name and key. Throws
	 * {@link IllegalArgumentException} if a part has half a surrogate pair, or if the
	 * prefix is longer than 99 characters.
	 */
	LockKeyLayout DEFAULT = new DefaultKeyLayout();

	/**
	 * Return the full key of a lock.
	 * @param prefix the prefix of the template, empty for none
	 * @param name the name of the request, empty for none
	 * @param key the key of the request as it was given, empty for none; never empty
	 * together with the name
	 * @return the full key
	 */
	String fullKey(String prefix, String name, String key);

}
