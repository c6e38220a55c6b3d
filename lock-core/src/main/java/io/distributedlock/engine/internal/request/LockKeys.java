package io.distributedlock.engine.internal.request;

import java.util.Set;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.LockCapability;
import io.distributedlock.LockKeyLayout;
import io.distributedlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Makes the full keys of requests. Thread-safe.
 *
 * @param layout makes the keys that are not given as they are
 * @param prefix the prefix of the template
 */
public record LockKeys(LockKeyLayout layout, String prefix) {

	/**
	 * The shortest limit of all backends is that of Memcached, 250 bytes. The other 50
	 * are for what a provider adds to a key.
	 */
	private static final int MAX_BYTES = 200;

	/**
	 * Return the full key of a request for one lock.
	 * @throws InvalidLockKeyException if there is none, or no provider could keep it
	 */
	public String fullKey(LockRequest request) {
		if (request.exactKey()) {
			String key = request.key();
			if (key.isEmpty()) {
				throw refused("The exact key of lock '%s'".formatted(shown(request.name())), "is missing");
			}
			return required(key, problem(key), "The exact key '%s'%s".formatted(shown(key),
					request.name().isEmpty() ? "" : " of lock '%s'".formatted(shown(request.name()))));
		}
		if (isDefault(request)) {
			return this.layout.fullKey(this.prefix, request.name(), request.key());
		}
		String subject = "The full key that the layout %s makes of the name '%s' and the key '%s'"
			.formatted(this.layout.getClass().getName(), shown(request.name()), shown(request.key()));
		@Nullable String made;
		try {
			made = this.layout.fullKey(this.prefix, request.name(), request.key());
		}
		catch (RuntimeException ex) {
			throw new InvalidLockKeyException("%s is missing, as the layout failed: %s".formatted(subject, ex), ex);
		}
		if (made == null) {
			throw refused(subject, "is null");
		}
		return required(made, problem(made), subject + ", which is '" + shown(made) + "',");
	}

	/**
	 * Return whether the default layout makes the full key, which every provider keeps.
	 */
	public boolean isDefault(LockRequest request) {
		return !request.exactKey() && this.layout == LockKeyLayout.DEFAULT;
	}

	private static String required(String key, @Nullable String problem, String subject) {
		if (problem != null) {
			throw refused(subject, problem);
		}
		return key;
	}

	private static InvalidLockKeyException refused(String subject, String problem) {
		return new InvalidLockKeyException("%s %s. Correct what makes it.".formatted(subject, problem), null);
	}

	/**
	 * Return a text for a message. It may come from a request: it must neither make lines
	 * of its own in a log nor fill it.
	 */
	private static String shown(String text) {
		StringBuilder shown = new StringBuilder();
		text.codePoints().limit(MAX_BYTES).forEach((point) -> {
			switch (Character.getType(point)) {
				case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
						Character.PARAGRAPH_SEPARATOR ->
					shown.append("\\u%04x".formatted(point));
				default -> shown.appendCodePoint(point);
			}
		});
		return text.codePointCount(0, text.length()) > MAX_BYTES ? shown.append('…').toString() : shown.toString();
	}

	/**
	 * Return why no provider keeps a full key that was not escaped, {@code null} if there
	 * is no reason.
	 */
	private static @Nullable String problem(String key) {
		if (key.isBlank()) {
			return "is blank";
		}
		int bytes = 0;
		for (int i = 0; i < key.length();) {
			int point = key.codePointAt(i);
			if (Character.isISOControl(point)) {
				return "has a control character at index " + i;
			}
			if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
				return "has half a surrogate pair at index " + i;
			}
			bytes += (point < 0x80) ? 1 : (point < 0x800) ? 2 : (point < 0x10000) ? 3 : 4;
			i += Character.charCount(point);
		}
		if (bytes > MAX_BYTES) {
			return "has %s bytes in UTF-8, and %s are allowed".formatted(bytes, MAX_BYTES);
		}
		int open = key.indexOf('{');
		int close = key.indexOf('}', open);
		boolean tagged = open >= 0 && close > open + 1;
		// the entries beside a lock would be in other slots of a cluster
		return (tagged || (open < 0 && close < 0)) ? null
				: "has braces that are no hash tag of a Redis cluster: the first { needs a } behind it, and something between them";
	}

	/**
	 * Return whether a provider can keep a full key: nobody has another one.
	 * @param capabilities those of the provider
	 */
	public static boolean isKept(String fullKey, Set<LockCapability> capabilities) {
		return problem(fullKey) == null && (capabilities.contains(LockCapability.ANY_KEY) || isPortable(fullKey));
	}

	private static boolean isPortable(String fullKey) {
		for (int i = 0; i < fullKey.length(); i++) {
			char c = fullKey.charAt(i);
			if (c <= ' ' || c > '~' || c == '{' || c == '}' || c == '/') {
				return false;
			}
		}
		// names of directories
		return !fullKey.equals(".") && !fullKey.equals("..");
	}

}
