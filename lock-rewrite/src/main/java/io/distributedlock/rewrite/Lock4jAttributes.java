package io.distributedlock.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JLeftPadded;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.Markers;

/**
 * Gives {@code @Lock4j} the attributes of {@code @DistributedLock} that mean the same,
 * and the name that lock4j makes of the method. An attribute whose value is not written
 * out, or that has no equal, stays: the compiler names it once the annotation is
 * replaced. Part of the recipe {@code io.distributedlock.rewrite.FromLock4j}.
 *
 * @since 0.1
 */
public final class Lock4jAttributes extends Recipe {

	private static final String LOCK4J = "com.baomidou.lock.annotation.Lock4j";

	private static final AnnotationMatcher MATCHER = new AnnotationMatcher("@" + LOCK4J);

	/**
	 * Create the recipe, which has no options.
	 */
	public Lock4jAttributes() {
	}

	@Override
	public String getDisplayName() {
		return "Attributes of `@Lock4j`";
	}

	@Override
	public String getDescription() {
		return "Gives `@Lock4j` the attributes of `@DistributedLock` that mean the same.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return Preconditions.check(new UsesType<>(LOCK4J, false), new JavaIsoVisitor<ExecutionContext>() {

			@Override
			public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
				J.Annotation visited = super.visitAnnotation(annotation, context);
				return MATCHER.matches(visited) ? visited.withArguments(
						translate(visited.getArguments(), getCursor().firstEnclosing(J.MethodDeclaration.class)))
						: visited;
			}

		});
	}

	private static List<Expression> translate(@Nullable List<Expression> given, J.@Nullable MethodDeclaration method) {
		List<Expression> arguments = (given != null && !(given.get(0) instanceof J.Empty)) ? given : List.of();
		Object released = literal(arguments, "autoRelease");
		// the lock stayed until its time was over
		boolean stayed = Boolean.FALSE.equals(released) && duration(arguments, "expire", 1) != null;
		boolean left = !stayed && !Boolean.TRUE.equals(released);
		List<Expression> translated = new ArrayList<>();
		for (Expression argument : arguments) {
			switch (nameOf(argument)) {
				case "keys" ->
					translated.add(with(argument, "key", key(((J.Assignment) argument).getAssignment(), method)));
				case "acquireTimeout" ->
					translated.add(with(argument, "waitTime", duration(arguments, "acquireTimeout", 0)));
				case "expire" -> translated
					.add(with(argument, stayed ? "holdAtLeast" : "leaseTime", duration(arguments, "expire", 1)));
				case "autoRelease" -> translated.addAll(left ? List.of(argument) : List.of());
				default -> translated.add(argument);
			}
		}
		if (!translated.isEmpty()) {
			translated.set(0, translated.get(0).withPrefix(arguments.get(0).getPrefix()));
		}
		String name = defaultName(method);
		if (name != null && arguments.stream().map(Lock4jAttributes::nameOf).noneMatch("name"::equals)) {
			translated.add(new J.Assignment(Tree.randomId(), translated.isEmpty() ? Space.EMPTY : Space.SINGLE_SPACE,
					Markers.EMPTY,
					new J.Identifier(Tree.randomId(), Space.EMPTY, Markers.EMPTY, List.of(), "name", null, null),
					new JLeftPadded<>(Space.SINGLE_SPACE, text(Space.SINGLE_SPACE, name), Markers.EMPTY), null));
		}
		return translated;
	}

	/**
	 * Return the name that lock4j gives a lock that has none. For a method without a body
	 * it depends on the class that implements it, and on the kind of the proxy.
	 */
	private static @Nullable String defaultName(J.@Nullable MethodDeclaration method) {
		JavaType.Method type = (method != null && method.getBody() != null) ? method.getMethodType() : null;
		return (type != null) ? type.getDeclaringType().getFullyQualifiedName() + type.getName() : null;
	}

	private static String nameOf(Expression argument) {
		return (argument instanceof J.Assignment assignment && assignment.getVariable() instanceof J.Identifier name)
				? name.getSimpleName() : "";
	}

	private static @Nullable Object literal(List<Expression> arguments, String name) {
		return arguments.stream()
			.filter((argument) -> nameOf(argument).equals(name))
			.map((argument) -> ((J.Assignment) argument).getAssignment())
			.map((value) -> (value instanceof J.Literal literal) ? literal.getValue() : null)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return an argument with another name and a text as its value, the argument itself
	 * if there is no text.
	 */
	private static Expression with(Expression argument, String name, @Nullable String text) {
		if (text == null) {
			return argument;
		}
		J.Assignment assignment = (J.Assignment) argument;
		return assignment.withVariable(((J.Identifier) assignment.getVariable()).withSimpleName(name))
			.withAssignment(text(assignment.getAssignment().getPrefix(), text));
	}

	private static J.Literal text(Space prefix, String text) {
		return new J.Literal(Tree.randomId(), prefix, Markers.EMPTY, text, '"' + text + '"', null,
				JavaType.Primitive.String);
	}

	/**
	 * Return a duration, {@code null} for a value that is none: a smaller number than the
	 * least one stands for a default.
	 */
	private static @Nullable String duration(List<Expression> arguments, String name, long least) {
		long millis = (literal(arguments, name) instanceof Number number) ? number.longValue() : -1;
		if (millis < least) {
			return null;
		}
		return (millis % 1000 == 0) ? millis / 1000 + "s" : millis + "ms";
	}

	/**
	 * Return one key for all parts, as lock4j joins them.
	 */
	private static @Nullable String key(Expression keys, J.@Nullable MethodDeclaration method) {
		Stream<? extends Expression> parts = (keys instanceof J.NewArray array && array.getInitializer() != null)
				? array.getInitializer().stream() : Stream.of(keys);
		List<String> texts = parts.map(Lock4jAttributes::source).toList();
		if (texts.contains("") || texts.stream().anyMatch((text) -> hasSeveralValues(text, method))) {
			return null;
		}
		return (texts.size() == 1) ? texts.get(0)
				: texts.stream().map((text) -> "#{" + text + "}").collect(Collectors.joining("."));
	}

	/**
	 * Return whether a key is a parameter with several values. They are one key for
	 * lock4j, and several locks here.
	 */
	private static boolean hasSeveralValues(String key, J.@Nullable MethodDeclaration method) {
		JavaType.Method type = (method != null) ? method.getMethodType() : null;
		int index = (type != null && key.startsWith("#")) ? type.getParameterNames().indexOf(key.substring(1)) : -1;
		return type != null && index >= 0 && (type.getParameterTypes().get(index) instanceof JavaType.Array
				|| TypeUtils.isAssignableTo("java.util.Collection", type.getParameterTypes().get(index)));
	}

	/**
	 * Return what stands between the quotes of a text, an empty text if it is none, or
	 * has escapes that OpenRewrite keeps elsewhere.
	 */
	private static String source(Expression value) {
		String source = (value instanceof J.Literal literal && literal.getValue() instanceof String
				&& literal.getValueSource() != null && literal.getUnicodeEscapes() == null) ? literal.getValueSource()
						: "\"\"";
		return source.startsWith("\"\"\"") ? "" : source.substring(1, source.length() - 1);
	}

}
