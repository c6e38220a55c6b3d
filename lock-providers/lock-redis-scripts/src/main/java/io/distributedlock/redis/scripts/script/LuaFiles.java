package io.distributedlock.redis.scripts.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.redis.scripts.script.Script.Answer;
import io.distributedlock.redis.scripts.script.Script.Role;

/**
 * Puts scripts together from files. A line {@code -- include other.lua} stands for that
 * file, once in a script. Comments are not sent. A server makes the functions of a script
 * anew in each call. So what a free lock does not need is included in a block, or after a
 * {@code return}.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 *
 * @param folders the folders in which files are, the first one first
 * @since 0.1
 */
public record LuaFiles(List<String> folders) {

	private static final String ROOT = "/io/distributedlock/redis/scripts/";

	private static final String INCLUDE = "-- include ";

	/**
	 * Read a script.
	 * @param answer what it answers with
	 * @param name the name of its file, without its ending
	 * @return the script
	 */
	public Script script(Answer answer, String name) {
		return script(Role.OTHER, answer, name);
	}

	/**
	 * Read a script.
	 * @param role what it is for
	 * @param answer what it answers with
	 * @param name the name of its file, without its ending
	 * @return the script
	 */
	public Script script(Role role, Answer answer, String name) {
		StringBuilder source = new StringBuilder();
		append(source, name + ".lua", new HashSet<>());
		return new Script(role, answer, source.toString());
	}

	private void append(StringBuilder source, String file, Set<String> included) {
		if (included.add(file)) {
			read(file).lines().forEach((line) -> {
				if (line.startsWith(INCLUDE)) {
					append(source, line.substring(INCLUDE.length()), included);
				}
				else if (!line.isBlank() && !line.strip().startsWith("--")) {
					source.append(line).append('\n');
				}
			});
		}
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
