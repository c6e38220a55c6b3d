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
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.marker.Markers;

/**
 * Gives {@code @Lock4j} the attributes of {@code @DistributedLock} that mean the same. An
 * attribute whose value is not written out, or that has no equal, stays: the compiler
 * names it once the annotation is replaced. Part of the recipe
 * {@code io.distributedlock.rewrite.FromLock4j}.
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
				List<Expression> arguments = visited.getArguments();
				return (MATCHER.matches(visited) && arguments != null) ? visited.withArguments(translate(arguments))
						: visited;
			}

		});
	}

	private static List<Expression> translate(List<Expression> arguments) {
		Object released = literal(arguments, "autoRelease");
		// the lock stayed until its time was over
		boolean stayed = Boolean.FALSE.equals(released) && duration(arguments, "expire") != null;
		boolean left = !stayed && !Boolean.TRUE.equals(released);
		List<Expression> translated = new ArrayList<>();
		for (Expression argument : arguments) {
			switch (nameOf(argument)) {
				case "keys" -> translated.add(with(argument, "key", key(((J.Assignment) argument).getAssignment())));
				case "acquireTimeout" ->
					translated.add(with(argument, "waitTime", duration(arguments, "acquireTimeout")));
				case "expire" ->
					translated.add(with(argument, stayed ? "holdAtLeast" : "leaseTime", duration(arguments, "expire")));
				case "autoRelease" -> translated.addAll(left ? List.of(argument) : List.of());
				default -> translated.add(argument);
			}
		}
		if (!translated.isEmpty()) {
			Expression first = translated.get(0).withPrefix(arguments.get(0).getPrefix());
			translated.set(0, first);
		}
		return translated;
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
		J.Literal value = new J.Literal(Tree.randomId(), assignment.getAssignment().getPrefix(), Markers.EMPTY, text,
				'"' + text + '"', null, JavaType.Primitive.String);
		return assignment.withVariable(((J.Identifier) assignment.getVariable()).withSimpleName(name))
			.withAssignment(value);
	}

	/**
	 * Return a duration, {@code null} for a value that is none: a negative number stands
	 * for a default.
	 */
	private static @Nullable String duration(List<Expression> arguments, String name) {
		long millis = (literal(arguments, name) instanceof Number number) ? number.longValue() : -1;
		if (millis < 0) {
			return null;
		}
		return (millis % 1000 == 0) ? millis / 1000 + "s" : millis + "ms";
	}

	/**
	 * Return one key for all parts, as lock4j joins them.
	 */
	private static @Nullable String key(Expression keys) {
		Stream<? extends Expression> parts = (keys instanceof J.NewArray array && array.getInitializer() != null)
				? array.getInitializer().stream() : Stream.of(keys);
		List<String> texts = parts.map(Lock4jAttributes::source).toList();
		if (texts.contains("")) {
			return null;
		}
		return (texts.size() == 1) ? texts.get(0)
				: texts.stream().map((text) -> "#{" + text + "}").collect(Collectors.joining("."));
	}

	/**
	 * Return what stands between the quotes of a text, an empty text if it is none.
	 */
	private static String source(Expression value) {
		String source = (value instanceof J.Literal literal && literal.getValue() instanceof String
				&& literal.getValueSource() != null) ? literal.getValueSource() : "\"\"";
		return source.startsWith("\"\"\"") ? "" : source.substring(1, source.length() - 1);
	}

}
