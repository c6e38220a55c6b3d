package io.distributedlock.redis.scripts;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.test.server.ScriptRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts as services in front of a cluster read them.
 */
class ScriptRulesTests {

	private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('(\\w+)'(?:, (KEYS\\[\\d+]))?(?=(.*))");

	/**
	 * Commands that may make a key. A number is counted only where there is one.
	 */
	private static final Set<String> MAKING = Set.of("set", "hset", "rpush", "zadd");

	/**
	 * Writes each script as a whole into a file, for {@code redis-cli --eval}.
	 */
	@Test
	void scriptsAreReadByServicesInFrontOfACluster() throws IllegalAccessException, IOException {
		Map<String, Script> scripts = new TreeMap<>();
		for (var field : PlainScripts.class.getDeclaredFields()) {
			if (field.getType() == Script.class && Modifier.isPublic(field.getModifiers())) {
				scripts.put("PLAIN_" + field.getName(), (Script) field.get(null));
			}
		}
		Map.of("PLAIN", LockScripts.PLAIN, "REDISSON", LockScripts.REDISSON)
			.forEach((layout, all) -> Map
				.of("acquire", all.acquire(), "release", all.release(), "leave", all.leave(), "look", all.look(),
						"renew", all.renew())
				.forEach((name, script) -> {
					scripts.put(layout + '_' + name, script);
					scripts.put(layout + "_SHARDED_" + name, script.variant("redisson-sharded"));
				}));
		assertThat(scripts).hasSizeGreaterThan(30);
		Path folder = Files.createDirectories(Path.of("target", "scripts"));
		for (var each : scripts.entrySet()) {
			Files.writeString(folder.resolve(each.getKey() + ".lua"), each.getValue().source());
		}
		Map<String, List<String>> refused = scripts.entrySet()
			.stream()
			.filter((each) -> !ScriptRules.broken(each.getValue().source()).isEmpty())
			.collect(Collectors.toMap(Map.Entry::getKey, (each) -> ScriptRules.broken(each.getValue().source())));
		assertThat(refused.keySet()).as("%s", refused).isEmpty();
	}

	/**
	 * A user without the right to a command loses what the script does with its answer,
	 * often without a word. One command only shows whether the server knows it.
	 */
	@ParameterizedTest
	@CsvSource({ "plain, redis.md", "redisson, redisson.md" })
	void pageNamesTheRightToEachCommandOfItsScripts(String layout, String page) throws IOException {
		String rights = Files.readString(Path.of("..", "..", "docs", "providers", page));
		Set<String> refused = new TreeSet<>();
		for (Path script : scripts()) {
			String folder = script.getParent().getFileName().toString();
			if (folder.equals("line") || folder.startsWith(layout)) {
				CALL.matcher(Files.readString(script))
					.results()
					.map((call) -> call.group(1))
					.filter((command) -> !Pattern.compile("[+]" + command + "\\b").matcher(rights).find())
					.forEach(refused::add);
			}
		}
		assertThat(refused).containsExactly("zpopmin");
	}

	/**
	 * An error of another command may stop the script.
	 */
	@Test
	void whatMakesAKeyGivesItAnExpiryOrTheNextCommandDoes() throws IOException {
		assertThat(scripts()).hasSizeGreaterThan(60).allSatisfy((script) -> assertThat(lasting(script)).isEmpty());
	}

	private static List<Path> scripts() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src", "main", "resources"))) {
			// what that one writes is the resource
			return files.filter((file) -> file.toString().endsWith(".lua") && !file.endsWith("fenced-write.lua"))
				.toList();
		}
	}

	private static List<String> lasting(Path script) throws IOException {
		List<MatchResult> calls = CALL.matcher(Files.readString(script))
			.results()
			.filter((call) -> !call.group(1).equals("hdel"))
			.toList();
		List<String> lasting = new ArrayList<>();
		for (int i = 0; i < calls.size(); i++) {
			MatchResult call = calls.get(i);
			boolean expires = call.group(3).contains("'PX'") || call.group(3).contains("'XX'") || (i + 1 < calls.size()
					&& calls.get(i + 1).group(1).equals("pexpire") && calls.get(i + 1).group(2).equals(call.group(2)));
			if (MAKING.contains(call.group(1)) && !expires) {
				lasting.add(call.group());
			}
		}
		return lasting;
	}

	@Test
	void eachRuleIsChecked() {
		assertThat(ScriptRules.broken("return redis.call('get', KEYS[1])")).isEmpty();
		assertThat(ScriptRules.broken("redis.pcall('exists', KEYS[1], KEYS[12]) -- redis.call(x)")).isEmpty();
		assertThat(Arrays.asList("return 1", "local k = KEYS[1] redis.call('get', k)", "redis.call(ARGV[1], KEYS[1])",
				"redis.call('get', KEYS[1] .. 'a')", "redis.call('del', KEYS[1], f(KEYS[2], 1))",
				"for i, k in ipairs(KEYS) do redis.call('get', KEYS[1]) end", "redis.call('get', KEYS[i + 1])",
				"local call = redis.call call('get', KEYS[1])",
				"redis.call('set', KEYS[1], f(redis.pcall('get', KEYS[2])))"))
			.allSatisfy((script) -> assertThat(ScriptRules.broken(script)).isNotEmpty());
	}

}
