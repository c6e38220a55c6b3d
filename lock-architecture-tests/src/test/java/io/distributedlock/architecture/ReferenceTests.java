package io.distributedlock.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.annotation.ScheduledLock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.json.JsonParserFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of docs/reference name what there is, with its type and default. What it
 * means is written by people.
 */
class ReferenceTests {

	private static final String METADATA = "META-INF/spring-configuration-metadata.json";

	@Test
	void tableHasEveryAttribute() {
		assertThat(rows(section(DistributedLock.class)))
			.containsExactlyInAnyOrderElementsOf(attributes(DistributedLock.class));
	}

	@Test
	void pageNamesWhatASemaphoreLacksOrRequires() {
		List<String> different = attributes(DistributedLock.class);
		different.removeAll(attributes(DistributedSemaphore.class));
		assertThat(named(section(DistributedSemaphore.class))).containsExactlyInAnyOrderElementsOf(different);
		List<String> own = attributes(DistributedSemaphore.class);
		own.removeAll(attributes(DistributedLock.class));
		assertThat(own).containsExactly("permits | text | required");
	}

	@Test
	void pageNamesWhatAScheduledLockHasBesideItsTable() {
		String section = section(ScheduledLock.class);
		List<String> told = named(section);
		told.addAll(rows(section));
		assertThat(told).containsExactlyInAnyOrderElementsOf(attributes(ScheduledLock.class));
	}

	@Test
	void tablesHaveEveryProperty() throws Exception {
		List<Map<?, ?>> properties = properties();
		assertThat(properties).hasSizeGreaterThan(30);
		List<String> expected = properties.stream()
			.filter((each) -> !isOfEveryEndpoint(each))
			.map(ReferenceTests::row)
			.toList();
		assertThat(rows(page("properties.md"))).containsExactlyInAnyOrderElementsOf(expected);
	}

	private static String section(Class<?> annotation) {
		String heading = "## `@" + annotation.getSimpleName() + "`\n";
		String page = page("annotations.md");
		assertThat(page).contains(heading);
		return page.substring(page.indexOf(heading) + heading.length()).split("(?m)^## ", 2)[0];
	}

	private static List<String> attributes(Class<?> annotation) {
		return Arrays.stream(annotation.getDeclaredMethods())
			.map((attribute) -> row(attribute.getName(),
					typeText(attribute.getReturnType(), ReferenceTests::constantText), defaultText(attribute)))
			.collect(Collectors.toCollection(ArrayList::new));
	}

	/**
	 * Return those attributes of {@link DistributedLock} that the text of a section names
	 * outside its table.
	 */
	private static List<String> named(String section) {
		String prose = section.replaceAll("(?m)^\\|.*$", "");
		List<String> attributes = attributes(DistributedLock.class);
		attributes.removeIf((row) -> !prose.contains("`" + row.substring(0, row.indexOf(' ')) + "`"));
		return attributes;
	}

	/**
	 * Return whether every endpoint of Spring Boot has a property, which Spring Boot
	 * documents.
	 */
	private static boolean isOfEveryEndpoint(Map<?, ?> property) {
		return String.valueOf(property.get("sourceType")).endsWith("Endpoint");
	}

	/**
	 * Return what the annotation processor of Spring Boot has found in our module.
	 */
	private static List<Map<?, ?>> properties() throws IOException {
		for (URL file : Collections.list(ReferenceTests.class.getClassLoader().getResources(METADATA))) {
			try (InputStream in = file.openStream()) {
				String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
				Object found = JsonParserFactory.getJsonParser().parseMap(json).get("properties");
				List<Map<?, ?>> properties = ((List<?>) found).stream()
					.<Map<?, ?>>map((each) -> (Map<?, ?>) each)
					.toList();
				if (properties.stream().anyMatch((each) -> "lock.enabled".equals(each.get("name")))) {
					return properties;
				}
			}
		}
		return List.of();
	}

	private static String row(Map<?, ?> property) {
		String name = String.valueOf(property.get("name"));
		try {
			Class<?> source = Class.forName(String.valueOf(property.get("sourceType")));
			RecordComponent component = component(source, name.substring(name.lastIndexOf('.') + 1));
			Object value = component.getAccessor().invoke(new Binder().bindOrCreate("nothing", source));
			return row(name, typeText(component.getType(), ReferenceTests::valueText), valueText(value));
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("The default of '%s' cannot be read".formatted(name), ex);
		}
	}

	private static RecordComponent component(Class<?> source, String property) {
		return Arrays.stream(source.getRecordComponents())
			.filter((each) -> each.getName().equalsIgnoreCase(property.replace("-", "")))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Return a type as a reader of properties and annotations sees it.
	 * @param format how a value of an enum is written
	 */
	private static String typeText(Class<?> type, Function<Object, String> format) {
		if (type.isArray()) {
			return "several of " + typeText(type.getComponentType(), format);
		}
		if (type.isEnum()) {
			return Arrays.stream(type.getEnumConstants()).map(format).collect(Collectors.joining(", "));
		}
		if (Collection.class.isAssignableFrom(type)) {
			return "list";
		}
		return switch (type.getSimpleName()) {
			case "String" -> "text";
			case "int", "Integer" -> "number";
			default -> type.getSimpleName().toLowerCase(Locale.ROOT);
		};
	}

	/**
	 * Return a value as annotations have it.
	 */
	private static String constantText(Object value) {
		return "`" + value + "`";
	}

	private static String defaultText(Method attribute) {
		Object value = attribute.getDefaultValue();
		if (value == null) {
			return "required";
		}
		if (value instanceof Object[] none) {
			assertThat(none).isEmpty();
			return "none";
		}
		if (value instanceof Enum<?>) {
			return constantText(value);
		}
		return value.equals("") ? "none" : "`" + value + "`";
	}

	/**
	 * Return a value as a file of properties has it.
	 */
	private static String valueText(Object value) {
		if (value == null || value.equals(List.of())) {
			return "none";
		}
		if (value instanceof Duration duration) {
			return "`" + durationText(duration) + "`";
		}
		if (value instanceof Enum<?> constant) {
			return "`" + constant.name().toLowerCase(Locale.ROOT).replace('_', '-') + "`";
		}
		if (value instanceof List<?> list) {
			return list.stream().map((each) -> "`" + each + "`").collect(Collectors.joining(", "));
		}
		return "`" + value + "`";
	}

	private static String durationText(Duration duration) {
		if (duration.toMillisPart() != 0) {
			return duration.toMillis() + "ms";
		}
		boolean days = !duration.isZero() && duration.equals(Duration.ofDays(duration.toDays()));
		return days ? duration.toDays() + "d" : duration.toSeconds() + "s";
	}

	/**
	 * Return the rows of tables without their last column, which tells the meaning.
	 */
	private static List<String> rows(String text) {
		return text.lines()
			.filter((line) -> line.startsWith("| `"))
			.map((line) -> line.substring(2).split(" \\| "))
			.map((cells) -> row(cells[0].replace("`", ""), cells[1], cells[2]))
			.toList();
	}

	private static String row(String name, String type, String defaultValue) {
		return name + " | " + type + " | " + defaultValue;
	}

	private static String page(String name) {
		return ProjectFiles.read(ProjectFiles.ROOT.resolve("docs/reference").resolve(name));
	}

}
