package io.distributedlock.architecture;

import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code docs/messages.md} has the beginning of each warning, error and exception text.
 * Exceptions that name their remedy by construction, and those of the JDK for wrong
 * arguments, are left out.
 */
class MessagesPageTests {

	private static final String LITERAL = "\"((?:[^\"\\\\]|\\\\.)*)\"";

	/**
	 * Where a text begins: a log statement, an exception, or a method that makes one.
	 */
	private static final Pattern TEXT = Pattern.compile("(?:(?:logger|warnings)\\.(?:warn|error)|log\\.accept"
			+ "|new (?:BackendException|NotSentException|UnconfirmedException"
			+ "|Lock\\w+Exception|InvalidLock(?:Key|Request)Exception)"
			+ "|\\b(?:permanent|retryable|log))\\([^\";]{0,120}?" + LITERAL);

	/**
	 * The text of an exception that makes it itself.
	 */
	private static final Pattern OWN_TEXT = Pattern.compile("super\\(" + LITERAL);

	/**
	 * What stands between two parts of a text.
	 */
	private static final Pattern CONCATENATED = Pattern.compile("\"\\s*\\+\\s*[^\";]{1,60}?\\s*\\+\\s*\"");

	private static final Pattern PLACEHOLDER = Pattern.compile("\\{}|%(?:\\d\\$)?[a-z]");

	private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[^|]+`) \\|");

	private static final Pattern CODE_SPAN = Pattern.compile("`([^`]+)`");

	@Test
	void pageHasEachMessageOfTheCodeAndNoOther() {
		Set<String> messages = messages();
		Set<String> rows = rows();
		assertThat(messages).hasSizeGreaterThan(100);
		assertThat(messages.stream().filter((message) -> rows.stream().noneMatch(message::startsWith)))
			.as("messages without a row in docs/messages.md")
			.isEmpty();
		assertThat(rows.stream().filter((row) -> messages.stream().noneMatch((message) -> message.startsWith(row))))
			.as("rows of docs/messages.md whose message is no longer in the code")
			.isEmpty();
	}

	private static Set<String> messages() {
		Set<String> messages = new TreeSet<>();
		for (Path source : ProjectFiles.withExtension("java")) {
			if (isOfTheLibrary(ProjectFiles.ROOT.relativize(source).toString())) {
				String code = CONCATENATED.matcher(ProjectFiles.read(source)).replaceAll("…");
				TEXT.matcher(code).results().map(MessagesPageTests::message).forEach(messages::add);
				if (source.getFileName().toString().matches("(?!InvalidLock)\\w+Exception\\.java")) {
					OWN_TEXT.matcher(code).results().map(MessagesPageTests::message).forEach(messages::add);
				}
			}
		}
		// a text that another one makes up
		messages.remove("…");
		return messages;
	}

	private static boolean isOfTheLibrary(String source) {
		return source.contains("src/main/java") && !source.matches("(sample-app|lock-benchmarks|lock-.*test).*");
	}

	private static String message(MatchResult text) {
		return PLACEHOLDER.matcher(text.group(1)).replaceAll("…").strip();
	}

	private static Set<String> rows() {
		return ROW.matcher(ProjectFiles.read(ProjectFiles.ROOT.resolve("docs/messages.md")))
			.results()
			.flatMap((row) -> CODE_SPAN.matcher(row.group(1)).results())
			.map((span) -> span.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
