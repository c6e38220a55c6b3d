package io.distributedlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

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
		List<Path> found = new ArrayList<>();
		try {
			Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {

				@Override
				public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
					String name = folder.getFileName().toString();
					boolean skipped = name.equals("target") || (name.startsWith(".") && !folder.equals(ROOT));
					return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
				}

				@Override
				public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
					String name = file.getFileName().toString();
					if (wanted.contains(name.substring(name.lastIndexOf('.') + 1))) {
						found.add(file);
					}
					return FileVisitResult.CONTINUE;
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
