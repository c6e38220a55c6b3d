package io.distributedlock.test.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What services in front of a cluster ask of a script before they run it: they read its
 * text, and find the keys in it. Alibaba Cloud's proxy has these rules.
 *
 * @since 0.1
 */
public final class ScriptRules {

	private static final Pattern COMMENT = Pattern.compile("--[^\n]*");

	private static final Pattern CALL = Pattern.compile("redis\\.p?call\\b");

	private static final Pattern COMMAND = Pattern.compile("'([a-zA-Z]+)'");

	private static final Pattern KEY = Pattern.compile("KEYS\\[[1-9]\\d*]");

	private static final Pattern OTHER_USE_OF_KEYS = Pattern.compile("\\bKEYS\\b(?!\\[[1-9]\\d*])");

	/**
	 * Commands without keys. Channels are not keys.
	 */
	private static final Set<String> WITHOUT_KEYS = Set.of("time", "publish", "spublish", "pubsub", "zpopmin", "info");

	/**
	 * Commands of which each argument is a key.
	 */
	private static final Set<String> OF_KEYS = Set.of("exists", "del", "unlink");

	private ScriptRules() {
	}

	/**
	 * Return what breaks the rules: each command is a literal, each key is a literal
	 * {@code KEYS[n]} in the call, there is one at least, and no call is inside another.
	 * @param source the script
	 * @return the parts that break a rule, empty if there are none
	 */
	public static List<String> broken(String source) {
		String script = COMMENT.matcher(source).replaceAll("");
		List<String> broken = new ArrayList<>();
		if (!KEY.matcher(script).find()) {
			broken.add("no key");
		}
		if (OTHER_USE_OF_KEYS.matcher(script).find()) {
			broken.add("KEYS without a literal index");
		}
		Matcher call = CALL.matcher(script);
		while (call.find()) {
			List<String> arguments = arguments(script, call.end());
			if (arguments.stream().anyMatch((each) -> CALL.matcher(each).find())) {
				broken.add("call inside " + arguments);
			}
			Matcher command = COMMAND.matcher(arguments.isEmpty() ? "" : arguments.get(0));
			if (!command.matches()) {
				broken.add("command " + arguments);
			}
			else if (keys(command.group(1).toLowerCase(Locale.ROOT), arguments).stream()
				.anyMatch((key) -> !KEY.matcher(key).matches())) {
				broken.add("key " + arguments);
			}
		}
		return broken;
	}

	private static List<String> keys(String command, List<String> arguments) {
		if (WITHOUT_KEYS.contains(command)) {
			return List.of();
		}
		int end = OF_KEYS.contains(command) ? arguments.size() : 2;
		return (arguments.size() < 2) ? List.of("none") : arguments.subList(1, end);
	}

	/**
	 * Return the arguments of a call, empty if no parenthesis follows.
	 */
	private static List<String> arguments(String script, int from) {
		List<String> arguments = new ArrayList<>();
		if (from >= script.length() || script.charAt(from) != '(') {
			return arguments;
		}
		int depth = 0;
		boolean quoted = false;
		int begin = from + 1;
		for (int i = from; i < script.length(); i++) {
			char each = script.charAt(i);
			if (each == '\'') {
				quoted = !quoted;
			}
			else if (!quoted && "([{".indexOf(each) >= 0) {
				depth++;
			}
			else if (!quoted && ")]}".indexOf(each) >= 0) {
				depth--;
			}
			if (depth == 0 || (depth == 1 && each == ',' && !quoted)) {
				arguments.add(script.substring(begin, i).strip());
				begin = i + 1;
			}
			if (depth == 0) {
				break;
			}
		}
		return arguments;
	}

}
