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
import java.util.Locale;
import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Words that were replaced by the field's own do not come back, in code and in docs.
 */
class WordsTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final Set<String> ENDINGS = Set.of("java", "kt", "md", "json", "xml");

	@ParameterizedTest
	@CsvSource({ "to be had, available", "not be had, not available", "in the clothes of, adapted to",
			"what is there twice, duplicates", "have the lease run, make the lease end" })
	void retiredWordIsNotUsed(String retired, String replacement) throws IOException {
		List<Path> found = new ArrayList<>();
		for (Path file : sources()) {
			if (text(file).contains(retired)) {
				found.add(ROOT.relativize(file));
			}
		}
		assertThat(found).as("write '%s' and not '%s'", replacement, retired).isEmpty();
	}

	/**
	 * Return the text of a file as it is read: sentences go on over lines and over the
	 * asterisks of comments.
	 */
	private static String text(Path file) {
		try {
			return Files.readString(file).replaceAll("\\s+(\\*\\s+)?", " ").toLowerCase(Locale.ROOT);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(file.toString(), ex);
		}
	}

	private static List<Path> sources() throws IOException {
		List<Path> sources = new ArrayList<>();
		Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
				String name = folder.getFileName().toString();
				boolean ofOthers = name.equals("target") || (name.startsWith(".") && !folder.equals(ROOT));
				return ofOthers ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
				String name = file.getFileName().toString();
				boolean retires = name.equals(WordsTests.class.getSimpleName() + ".java");
				if (!retires && ENDINGS.contains(name.substring(name.lastIndexOf('.') + 1))) {
					sources.add(file);
				}
				return FileVisitResult.CONTINUE;
			}

		});
		return sources;
	}

}
