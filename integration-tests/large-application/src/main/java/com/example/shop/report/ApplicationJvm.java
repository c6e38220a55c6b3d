package com.example.shop.report;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import com.example.shop.ShopApplication;

/**
 * Runs the application in a JVM of its own, with the class path that it would have if it
 * were deployed, and returns what it consists of. Immutable.
 */
public final class ApplicationJvm {

	private final List<String> classPath;

	private final List<String> arguments;

	private ApplicationJvm(List<String> classPath, List<String> arguments) {
		this.classPath = classPath;
		this.arguments = arguments;
	}

	/**
	 * The application without a starter of locks.
	 * @return the JVM, not yet started
	 */
	public static ApplicationJvm withoutLocks() {
		return new ApplicationJvm(classPath("large-application"), List.of());
	}

	/**
	 * The application with what a module adds to it.
	 * @param module the name of the module
	 * @return the JVM, not yet started
	 */
	public static ApplicationJvm of(String module) {
		return new ApplicationJvm(classPath(module), List.of());
	}

	/**
	 * Add arguments.
	 * @param more properties of the application, such as {@code --server.port=0}
	 * @return the JVM, not yet started
	 */
	public ApplicationJvm with(String... more) {
		List<String> all = new ArrayList<>(this.arguments);
		all.addAll(List.of(more));
		return new ApplicationJvm(this.classPath, all);
	}

	/**
	 * Add the jars of some classes.
	 * @param types the classes, which the calling JVM has
	 * @return the JVM, not yet started
	 */
	public ApplicationJvm withJarsOf(Class<?>... types) {
		List<String> jars = new ArrayList<>(this.classPath);
		Arrays.stream(types).map(ApplicationJvm::location).forEach(jars::add);
		return new ApplicationJvm(jars, this.arguments);
	}

	/**
	 * Remove jars.
	 * @param name tells by its file name whether a jar is removed
	 * @return the JVM, not yet started
	 */
	public ApplicationJvm withoutJars(Predicate<String> name) {
		return new ApplicationJvm(
				this.classPath.stream().filter((jar) -> !name.test(Path.of(jar).getFileName().toString())).toList(),
				this.arguments);
	}

	/**
	 * Return the class path.
	 * @return jars and folders
	 */
	public List<String> classPath() {
		return this.classPath;
	}

	/**
	 * Start the application, wait until it has ended, and return what it consisted of.
	 * @return the lines of {@link ApplicationReport}
	 */
	public Set<String> report() {
		List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", ShopApplication.class.getName()));
		command.addAll(this.arguments);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		// in the environment, as it may be too long for a command line
		builder.environment().put("CLASSPATH", String.join(File.pathSeparator, this.classPath));
		try {
			Process process = builder.start();
			// so that its output ends, and this with it
			process.onExit().orTimeout(5, TimeUnit.MINUTES).whenComplete((ended, late) -> process.destroyForcibly());
			Set<String> report = new TreeSet<>();
			List<String> log = new ArrayList<>();
			process.inputReader(StandardCharsets.UTF_8).lines().forEach((line) -> {
				if (line.startsWith(ApplicationReport.PREFIX)) {
					report.add(line.substring(ApplicationReport.PREFIX.length()));
				}
				else {
					log.add(line);
				}
			});
			int code = process.waitFor();
			if (code != 0 || report.isEmpty()) {
				throw new IllegalStateException("exit code " + code + ":\n" + String.join("\n", log));
			}
			return report;
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private static List<String> classPath(String module) {
		String resource = "/class-path-of-" + module + ".txt";
		try (InputStream in = ApplicationJvm.class.getResourceAsStream(resource)) {
			String jars = new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
			List<String> all = new ArrayList<>(List.of(jars.trim().split(File.pathSeparator, -1)));
			// a module is not on its own class path, and on that of another one already
			String application = location(ShopApplication.class);
			if (!all.contains(application)) {
				all.add(application);
			}
			return all;
		}
		catch (IOException ex) {
			throw new IllegalStateException(resource, ex);
		}
	}

	private static String location(Class<?> type) {
		try {
			return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(type.getName(), ex);
		}
	}

}
