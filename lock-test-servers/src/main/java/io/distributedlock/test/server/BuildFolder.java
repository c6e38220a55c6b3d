package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Folders that are made once for each build and then used by all its JVMs. They are in
 * the folder that the system property {@value #PROPERTY} names.
 */
final class BuildFolder {

	private static final String PROPERTY = "lock.test.servers";

	/**
	 * As long as the first start of servers may take in a test. An interrupt ends the
	 * wait for another JVM.
	 */
	private static final int MAKING_MINUTES = 10;

	private static final Map<String, Lock> LOCKS = new ConcurrentHashMap<>();

	private BuildFolder() {
	}

	/**
	 * Return a folder, and make it first if it is not there. Other calls for the same
	 * one, in any JVM, wait until it is made.
	 * @param name the name of the folder
	 * @param content what makes the files, in a new folder beside
	 * @return the folder
	 * @throws IOException if the files cannot be made; nothing is left of them
	 */
	static Path once(String name, Content content) throws IOException {
		Path home = Path.of(System.getProperty(PROPERTY, "target/servers")).toAbsolutePath();
		Path folder = home.resolve(name);
		if (Files.isDirectory(folder)) {
			return folder;
		}
		Files.createDirectories(home);
		// a JVM may lock a file only once
		Lock own = LOCKS.computeIfAbsent(name, (added) -> new ReentrantLock());
		acquire(own);
		try (FileChannel file = FileChannel.open(home.resolve(name + ".lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE)) {
			// until the channel is closed
			file.lock();
			if (!Files.isDirectory(folder)) {
				make(home, name, content);
			}
			return folder;
		}
		finally {
			own.unlock();
		}
	}

	private static void acquire(Lock own) throws IOException {
		try {
			if (!own.tryLock(MAKING_MINUTES, TimeUnit.MINUTES)) {
				throw new IOException("another thread has not made it within %s minutes".formatted(MAKING_MINUTES));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("interrupted", ex);
		}
	}

	private static void make(Path home, String name, Content content) throws IOException {
		Path work = Files.createTempDirectory(home, name);
		try {
			Files.move(content.make(work), home.resolve(name), StandardCopyOption.ATOMIC_MOVE);
		}
		finally {
			delete(work);
		}
	}

	/**
	 * Run a program that makes files.
	 * @param work the folder for its log
	 * @param program the program with its arguments
	 * @throws IOException if it fails, with its log, or does not end
	 */
	static void run(Path work, ProcessBuilder program) throws IOException {
		Path log = work.resolve("log");
		Process process = program.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
			.start();
		try {
			if (!process.waitFor(5, TimeUnit.MINUTES)) {
				process.destroyForcibly();
				throw new IOException(program.command().get(0) + " did not end");
			}
		}
		catch (InterruptedException ex) {
			process.destroyForcibly();
			Thread.currentThread().interrupt();
			throw new IOException("interrupted", ex);
		}
		if (process.exitValue() != 0) {
			throw new IOException(program.command().get(0) + " failed: " + Files.readString(log));
		}
	}

	/**
	 * Make a program of a file that this JVM has written. A process that another thread
	 * starts keeps such a file open for a moment, and a program that is open for writing
	 * cannot run: so a process of its own writes the program.
	 * @param work the folder for the log
	 * @param written the file
	 * @param program where the program is to be
	 * @throws IOException if it cannot be made
	 */
	static void program(Path work, Path written, Path program) throws IOException {
		run(work, new ProcessBuilder("cp", written.toString(), program.toString()));
		if (!program.toFile().setExecutable(true)) {
			throw new IOException("may not be made executable: " + program);
		}
	}

	private static void delete(Path folder) {
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
				Files.deleteIfExists(file);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Makes the files of a folder.
	 */
	@FunctionalInterface
	interface Content {

		/**
		 * Make the files.
		 * @param work an empty folder
		 * @return the folder inside of it that is kept
		 * @throws IOException if they cannot be made
		 */
		Path make(Path work) throws IOException;

	}

}
