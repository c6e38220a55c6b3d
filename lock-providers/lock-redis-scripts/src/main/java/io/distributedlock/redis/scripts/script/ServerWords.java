package io.distributedlock.redis.scripts.script;

import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Finds the server's own words in the message of a client's exception. What clients and
 * servers add may quote a command, and with it keys and owners.
 *
 * @since 0.1
 */
public final class ServerWords {

	/**
	 * What Redisson adds, and what a server says of an unknown command and of the script
	 * that failed.
	 */
	private static final Pattern ADDED = Pattern
		.compile("(?s)(\\.? channel: |,? with args beginning with|[., ]* script: ).*");

	/**
	 * With what Redis before 7 begins an error inside a script.
	 */
	private static final Pattern IN_SCRIPT = Pattern
		.compile("^ERR Error running script \\(.*?\\): (@user_script: ?\\d+: )*-?");

	private static final int LONGEST = 200;

	private ServerWords() {
	}

	/**
	 * Return what the server says.
	 * @param message the message of the exception, which begins with the error of the
	 * server
	 * @return the words without parameters, at most 200 characters; empty for no message
	 */
	public static String in(@Nullable String message) {
		String error = ADDED.matcher((message != null) ? message : "").replaceFirst("");
		String words = IN_SCRIPT.matcher(error).replaceFirst("").strip();
		return (words.length() > LONGEST) ? words.substring(0, LONGEST) : words;
	}

	/**
	 * Return whether the server does not know a command, or denies it.
	 * @param message the message of the exception, which begins with the error of the
	 * server
	 * @param command the name of the command in lower case
	 * @return {@code true} if it says so, in whichever words
	 */
	public static boolean refuse(@Nullable String message, String command) {
		String words = in(message).toLowerCase(Locale.ROOT);
		return words.contains("command") && words.contains(command) && !tellOfAMove(message);
	}

	/**
	 * Return whether a script has used a key that is on another node, or may be, as the
	 * slot of a cluster moves.
	 * @param message the message of the exception, which begins with the error of the
	 * server
	 * @return {@code true} if it says so, in the words of Redis before 8 or of a later
	 * one
	 */
	public static boolean tellOfAMove(@Nullable String message) {
		String words = in(message);
		return words.contains("non local key") || words.contains("during rehashing of the slot");
	}

}
