package com.example.warehouse.aot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * What a native image of this application would be told of reflection and resources: the
 * metadata in all jars, and what the build has generated.
 */
final class ImageMetadata {

	private static final Map<String, MemberCategory> CATEGORIES = Map.of("allPublicFields",
			MemberCategory.ACCESS_PUBLIC_FIELDS, "allDeclaredFields", MemberCategory.ACCESS_DECLARED_FIELDS,
			"allPublicConstructors", MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS, "allDeclaredConstructors",
			MemberCategory.INVOKE_DECLARED_CONSTRUCTORS, "allPublicMethods", MemberCategory.INVOKE_PUBLIC_METHODS,
			"allDeclaredMethods", MemberCategory.INVOKE_DECLARED_METHODS);

	private final RuntimeHints hints = new RuntimeHints();

	private ImageMetadata() {
	}

	static RuntimeHints read() throws IOException {
		ImageMetadata metadata = new ImageMetadata();
		for (Resource file : new PathMatchingResourcePatternResolver()
			.getResources("classpath*:META-INF/native-image/**/reachability-metadata.json")) {
			metadata.add(JsonPath.parse(file.getContentAsString(StandardCharsets.UTF_8)).json());
		}
		return metadata.hints;
	}

	private void add(Map<String, Object> file) {
		list(file, "reflection").forEach(this::addType);
		list(file, "resources").forEach((resource) -> {
			if (resource.get("glob") instanceof String glob) {
				this.hints.resources().registerPattern(glob);
			}
		});
	}

	private void addType(Map<String, Object> entry) {
		if (entry.get("type") instanceof String name) {
			this.hints.reflection().registerType(TypeReference.of(name), (type) -> {
				CATEGORIES.forEach((key, category) -> {
					if (Boolean.TRUE.equals(entry.get(key))) {
						type.withMembers(category);
					}
				});
				list(entry, "fields").forEach((field) -> type.withField((String) field.get("name")));
				list(entry, "methods").forEach((method) -> addMethod(type, method));
			});
		}
		if (entry.get("type") instanceof Map<?, ?> proxy && proxy.get("proxy") instanceof List<?> interfaces) {
			this.hints.proxies()
				.registerJdkProxy(interfaces.stream()
					.map(String.class::cast)
					.map(TypeReference::of)
					.toArray(TypeReference[]::new));
		}
	}

	private static void addMethod(TypeHint.Builder type, Map<String, Object> method) {
		String name = (String) method.get("name");
		List<TypeReference> parameters = (method.get("parameterTypes") instanceof List<?> names)
				? names.stream().map(String.class::cast).map(TypeReference::of).toList() : List.of();
		if (name.equals("<init>")) {
			type.withConstructor(parameters, ExecutableMode.INVOKE);
		}
		else {
			type.withMethod(name, parameters, ExecutableMode.INVOKE);
		}
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> list(Map<String, Object> object, String name) {
		return (List<Map<String, Object>>) object.getOrDefault(name, List.of());
	}

}
