package io.distributedlock.redis.scripts.script;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Says what an error of the server means, whichever client has brought it.
 *
 * @since 0.1
 */
public final class ServerErrors {

	/**
	 * The code of what passes soon: a server that loads its data or still runs a script,
	 * or a replica that has not become the primary yet.
	 */
	public static final String LOADING = "LOADING";

	/**
	 * The code of a server whose memory is full.
	 */
	public static final String OUT_OF_MEMORY = "OOM";

	/**
	 * With what the script of a ping answers on a server that is too old.
	 */
	private static final String TOO_OLD = "TOOOLD";

	private static final Pattern VERSION = Pattern.compile(TOO_OLD + " ([\\d.]+|unknown)");

	/**
	 * Codes of our own, for errors that have only the code {@code ERR}.
	 */
	private static final String NO_DATABASE = "no database";

	private static final String CROWDED = "crowded";

	/**
	 * Each code, and what an error that has it may contain in its place.
	 */
	private static final List<List<String>> SIGNS = List.of(List.of(OUT_OF_MEMORY),
			List.of("NOPERM", "can't run this command", "can't access at least one"), List.of("WRONGTYPE"),
			List.of("READONLY"), List.of("MISCONF"),
			List.of("WRONGPASS", "ERR AUTH", "sent AUTH", "'auth' command", "invalid password"),
			List.of(NO_DATABASE, "DB index", "SELECT is not allowed"), List.of(CROWDED, "max number of clients"));

	private ServerErrors() {
	}

	/**
	 * Return the code of an error. It may follow {@code ERR}, or words of a script before
	 * Redis 7. Other errors have no code and are known by their words.
	 * @param words the words of the server, as {@link ServerWords#in} returns them
	 * @return the code, {@code ERR} if there is no other, empty for no words
	 */
	public static String code(String words) {
		String first = words.split("[ :]", 2)[0];
		if (!first.equals("ERR") && first.equals(first.toUpperCase(Locale.ROOT))) {
			return first;
		}
		if (ServerWords.tellOfAMove(words)) {
			return "TRYAGAIN";
		}
		return SIGNS.stream()
			.filter((signs) -> signs.stream().anyMatch(words::contains))
			.map((signs) -> signs.get(0))
			.findFirst()
			.orElse("ERR");
	}

	/**
	 * Return what an error means.
	 * @param code its code
	 * @param words the words of the server, empty if they are not known
	 * @param provider the name of the provider, whose page names the least rights
	 * @param cause the exception of the client
	 * @return the failure; {@code null} if the code has no meaning that is known
	 */
	public static @Nullable BackendException meaning(String code, String words, String provider, Throwable cause) {
		return switch (code) {
			case "WRONGPASS", "NOAUTH" ->
				permanent("Redis refuses the credentials: check the user name and the password", words, cause);
			case "NOPERM" -> permanent(
					"Redis denies the user a command or key that locks need: see the least rights in docs/providers/%s.md"
						.formatted(provider),
					words, cause);
			case TOO_OLD -> new BackendException(tooOld(words), false, cause);
			case "WRONGTYPE" ->
				permanent("the key holds a value that is no lock: choose another lock.key-prefix", words, cause);
			case NO_DATABASE -> permanent("Redis has no database of this number: check the database", words, cause);
			case "DENIED" -> permanent(
					"Redis is in protected mode and refuses clients on other machines: set a password", words, cause);
			case CROWDED -> retryable("Redis has reached its limit of clients: raise maxclients", words, cause);
			case OUT_OF_MEMORY ->
				retryable("Redis is out of memory: raise maxmemory, and keep the policy noeviction", words, cause);
			case "NOSCRIPT" ->
				retryable("Redis forgets its scripts, or there was no time to send one: check who sends SCRIPT FLUSH",
						words, cause);
			case LOADING, "READONLY", "MOVED", "ASK", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "BUSY", "NOREPLICAS",
					"MISCONF", "UNBLOCKED" ->
				retryable("Redis is loading, failing over or cannot write at present", words, cause);
			default -> null;
		};
	}

	private static String tooOld(String words) {
		Matcher version = VERSION.matcher(words);
		return "the server has the version %s of Redis, and locks need 5.0 or later, or Valkey: update the server"
			.formatted(version.find() ? version.group(1) : "unknown");
	}

	/**
	 * Return a failure that may pass, with the words of the server.
	 * @param meaning what it means
	 * @param words the words of the server, empty if they are not known
	 * @param cause the exception of the client
	 * @return the failure
	 */
	public static BackendException retryable(String meaning, String words, Throwable cause) {
		return failure(meaning, true, words, cause);
	}

	/**
	 * Return a failure that stays, with the words of the server.
	 * @param meaning what it means
	 * @param words the words of the server, empty if they are not known
	 * @param cause the exception of the client
	 * @return the failure
	 */
	public static BackendException permanent(String meaning, String words, Throwable cause) {
		return failure(meaning, false, words, cause);
	}

	private static BackendException failure(String meaning, boolean retryable, String words, Throwable cause) {
		return new BackendException(words.isEmpty() ? meaning : "%s. Redis says: %s".formatted(meaning, words),
				retryable, cause);
	}

}
