package io.distributedlock.redis.scripts.script;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Says which server is too old for the scripts.
 *
 * @since 0.1
 */
public final class ServerAge {

	/**
	 * The code of the error with which the script of a ping fails on a server that is too
	 * old.
	 */
	public static final String CODE = "TOOOLD";

	private static final Pattern ANSWER = Pattern.compile(CODE + " ([\\d.]+|unknown)");

	private ServerAge() {
	}

	/**
	 * Return what is wrong with a server.
	 * @param error the message of an error of the server
	 * @return that it is too old, which version it has and which one is needed;
	 * {@code null} if the error says something else
	 */
	public static @Nullable String problem(@Nullable String error) {
		Matcher answer = ANSWER.matcher((error != null) ? error : "");
		return answer.find()
				? "the server has the version %s of Redis, and locks need 5.0 or later, or Valkey: update the server"
					.formatted(answer.group(1))
				: null;
	}

}
