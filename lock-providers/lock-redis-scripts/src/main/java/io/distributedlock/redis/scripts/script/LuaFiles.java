package io.distributedlock.redis.scripts.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.redis.scripts.script.Script.Answer;

/**
 * Puts scripts together from files. A line {@code -- include other.lua} stands for that
 * file, once in a script. What follows {@code -- ten times:} is repeated, with indexes
 * that rise by two, as services want each key named. Comments are not sent. A server
 * makes the functions of a script anew in each call. So what a free lock does not need is
 * included after a {@code return}.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 *
 * @param folders the folders in which files are, the first one first
 * @since 0.1
 */
public record LuaFiles(List<String> folders) {

	private static final String ROOT = "/io/distributedlock/redis/scripts/";

	private static final String INCLUDE = "-- include ";

	private static final String REPEAT = "-- ten times:\n";

	private static final Pattern INDEX = Pattern.compile("(?<=\\[)\\d+(?=])");

	/**
	 * Read a script.
	 * @param answer what it answers with
	 * @param name the name of its file, without its ending
	 * @return the script
	 */
	public Script script(Answer answer, String name) {
		return new Script(this, answer, name);
	}

	/**
	 * Return the same files behind those of another folder.
	 */
	LuaFiles behind(String folder) {
		return new LuaFiles(Stream.concat(Stream.of(folder), this.folders.stream()).toList());
	}

	String source(String name) {
		StringBuilder source = new StringBuilder();
		append(source, name + ".lua", new HashSet<>());
		return source.toString();
	}

	private void append(StringBuilder source, String file, Set<String> included) {
		if (included.add(file)) {
			repeated(read(file)).lines().forEach((line) -> {
				if (line.startsWith(INCLUDE)) {
					append(source, line.substring(INCLUDE.length()), included);
				}
				else if (!line.isBlank() && !line.strip().startsWith("--")) {
					source.append(line).append('\n');
				}
			});
		}
	}

	private static String repeated(String text) {
		String[] parts = text.split(REPEAT, 2);
		StringBuilder all = new StringBuilder(parts[0]);
		for (int shift = 0; parts.length > 1 && shift < 20; shift += 2) {
			int added = shift;
			all.append(INDEX.matcher(parts[1])
				.replaceAll((index) -> Integer.toString(Integer.parseInt(index.group()) + added)));
		}
		return all.toString();
	}

	private String read(String file) {
		for (String folder : this.folders) {
			try (InputStream found = LuaFiles.class.getResourceAsStream(ROOT + folder + '/' + file)) {
				if (found != null) {
					return new String(found.readAllBytes(), StandardCharsets.UTF_8);
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		throw new IllegalStateException("The script %s is in none of %s".formatted(file, this.folders));
	}

}
