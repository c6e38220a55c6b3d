package io.distributedlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The files of the repository, without those that a build makes and those in hidden
 * folders.
 */
final class ProjectFiles {

	/**
	 * The tests of a module run in its directory.
	 */
	static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private ProjectFiles() {
	}

	/**
	 * Return the files whose names end with one of the given extensions.
	 */
	static List<Path> withExtension(String... extensions) {
		Set<String> wanted = Set.of(extensions);
		return find((file) -> {
			String name = file.getFileName().toString();
			return wanted.contains(name.substring(name.lastIndexOf('.') + 1)) && Files.isRegularFile(file);
		}, (folder) -> {
			String name = folder.getFileName().toString();
			return !name.equals("target") && (!name.startsWith(".") || folder.equals(ROOT));
		});
	}

	/**
	 * Return the files and folders that a condition accepts, also of those that a build
	 * makes. Other modules are built meanwhile: what they delete is not found.
	 */
	static List<Path> find(Predicate<Path> wanted) {
		// as deep as lock-providers/lock-provider-x/src/main/java
		return find(wanted, (folder) -> ROOT.relativize(folder).getNameCount() < 5);
	}

	private static List<Path> find(Predicate<Path> wanted, Predicate<Path> entered) {
		List<Path> found = new ArrayList<>();
		try {
			Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {

				@Override
				public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
					visitFile(folder, attributes);
					return entered.test(folder) ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
				}

				@Override
				public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
					if (wanted.test(file)) {
						found.add(file);
					}
					return FileVisitResult.CONTINUE;
				}

				@Override
				public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
					return (failure instanceof NoSuchFileException) ? FileVisitResult.CONTINUE
							: super.visitFileFailed(file, failure);
				}

			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ROOT.toString(), ex);
		}
		return found;
	}

	/**
	 * Return the simple names of all top-level classes, as their files are named.
	 */
	static Set<String> classNames() {
		Set<String> names = new TreeSet<>();
		for (Path file : withExtension("java", "kt")) {
			names.add(file.getFileName().toString().replaceFirst("\\.\\w+$", ""));
		}
		return names;
	}

	static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(file.toString(), ex);
		}
	}

}
