package io.distributedlock.spring.internal.expression;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.NullLiteral;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/**
 * Parses the expressions of annotations, once, and reports at start-up what would fail at
 * every call. Thread-safe.
 */
public final class LockExpressionParser {

	private static final Pattern VARIABLE = Pattern.compile("#(\\w+)");

	/**
	 * Never compiled, whatever {@code spring.expression.compiler.mode} says: the code of
	 * a compiled expression fails when an argument has another class than before.
	 */
	static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration(SpelCompilerMode.OFF, null);

	private final SpelExpressionParser parser = new SpelExpressionParser(CONFIGURATION);

	private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

	private final StandardEvaluationContext context;

	private final StandardEvaluationContext keyContext;

	/**
	 * Create a parser.
	 * @param beans resolves references to beans, {@code null} if they are not allowed
	 * @param classLoader finds the classes that expressions name, {@code null} for
	 * Spring's default
	 */
	public LockExpressionParser(@Nullable BeanResolver beans, @Nullable ClassLoader classLoader) {
		this.context = context(beans, classLoader);
		this.keyContext = context(beans, classLoader);
		this.keyContext.setTypeConverter(new KeyConverter());
	}

	private static StandardEvaluationContext context(@Nullable BeanResolver beans, @Nullable ClassLoader classLoader) {
		StandardEvaluationContext context = new StandardEvaluationContext();
		context.setBeanResolver(beans);
		// otherwise the first thread that evaluates an expression gives its class loader
		context.setTypeLocator(new StandardTypeLocator(classLoader));
		return context;
	}

	/**
	 * Parse the expression that gives the keys.
	 * @param attributes the attributes of the annotation
	 * @return the keys
	 */
	public LockKeys keys(ExpressionSource attributes) {
		LockExpression expression = parse("key", attributes, this.keyContext);
		attributes.refuseIf(texts(expression.expression()).anyMatch((text) -> mentionsVariable(text, attributes)),
				"key", "a text in quotes is the same for all calls, and this one has the name of a parameter in it",
				"Write the parameter without quotes, as in 'order:' + #id");
		String literal = literal(expression.expression());
		if (literal == null) {
			attributes.refuseIf(isAlways(NullLiteral.class, expression.expression()), "key", "the key is always null",
					"Write an expression, or leave the key out for one lock for the method");
			return LockKeys.of(expression.with(KeyParts.checked(expression.expression())));
		}
		attributes.refuseIf(literal.isBlank(), "key", "the key is blank",
				"Write an expression, or leave the key out for one lock for the method");
		return (prototype, call, target) -> prototype.withKey(literal);
	}

	/**
	 * Parse the expression that tells whether a call needs the lock. One that cannot give
	 * a boolean, whatever the arguments are, is a literal of another type, or a text with
	 * expressions in it.
	 * @param attributes the attributes of the annotation
	 * @return the condition
	 */
	public LockExpression condition(ExpressionSource attributes) {
		LockExpression condition = parse("condition", attributes, this.context);
		Expression expression = condition.expression();
		attributes.refuseIf(expression instanceof CompositeStringExpression, "condition",
				"a text with expressions in it is never a boolean", "Write one expression, such as #a and #b");
		attributes.refuseIf(isAlways(Literal.class, expression) && !isAlways(BooleanLiteral.class, expression),
				"condition", "a condition must be a boolean, but this literal is none",
				"Write a comparison, such as #amount > 1000");
		return condition;
	}

	/**
	 * Parse an expression and check it as far as that is possible without arguments.
	 */
	private LockExpression parse(String attribute, ExpressionSource attributes, EvaluationContext context) {
		Expression expression = parseExpression(attribute, attributes);
		check(expression, attribute, attributes);
		return new LockExpression(expression, attribute, attributes.raw(attribute), attributes.method(),
				parameters(attributes), context);
	}

	/**
	 * Return whether a text that is no expression has a variable in it, so that its
	 * author took it for one.
	 * @param text the text
	 * @param attributes the attributes of the annotation
	 * @return whether there is a {@code #} with the name of a parameter or {@code root}
	 */
	public boolean mentionsVariable(String text, ExpressionSource attributes) {
		Set<String> known = parameters(attributes).keySet();
		return VARIABLE.matcher(text)
			.results()
			.map((match) -> match.group(1))
			.anyMatch((name) -> known.contains(name) || name.equals("root"));
	}

	/**
	 * Return the index of each parameter by its names. The names in the annotated method
	 * win, since the author of the annotation saw those.
	 */
	private Map<String, Integer> parameters(ExpressionSource attributes) {
		Method method = attributes.method();
		Map<String, Integer> indexes = new LinkedHashMap<>();
		for (Method named : List.of(attributes.annotated(), method)) {
			@Nullable String[] names = names(named);
			for (int i = 0; names != null && i < names.length; i++) {
				if (names[i] != null) {
					indexes.putIfAbsent(names[i], i);
				}
			}
		}
		// the compiler adds the last parameter of a suspending function
		int count = method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
		for (int i = 0; i < count; i++) {
			indexes.putIfAbsent("p" + i, i);
			indexes.putIfAbsent("a" + i, i);
		}
		return indexes;
	}

	/**
	 * Return the names of the parameters. A class made at run time has none, so that its
	 * interface is asked.
	 */
	private @Nullable String @Nullable [] names(Method method) {
		@Nullable String[] own = this.parameterNames.getParameterNames(method);
		return (own != null) ? own : this.parameterNames
			.getParameterNames(ClassUtils.getInterfaceMethodIfPossible(method, method.getDeclaringClass()));
	}

	private Expression parseExpression(String attribute, ExpressionSource attributes) {
		String text = attributes.raw(attribute);
		attributes.refuseIf(text.contains("${"), attribute, "placeholders are not resolved in an expression",
				"Write a text that is the same for all calls into name, where they are");
		try {
			return text.contains("#{") ? this.parser.parseExpression(text, new TemplateParserContext())
					: this.parser.parseExpression(text);
		}
		catch (ParseException ex) {
			throw attributes.invalid(attribute,
					"not a SpEL expression, at position %s: %s".formatted(ex.getPosition(), ex.getSimpleMessage()),
					"Correct the SpEL expression. A literal needs quotes: \"'%s'\"".formatted(text.replace("'", "")),
					ex);
		}
	}

	private void check(Expression expression, String attribute, ExpressionSource attributes) {
		if (expression instanceof CompositeStringExpression composite) {
			for (Expression part : composite.getExpressions()) {
				check(part, attribute, attributes);
			}
		}
		else if (expression instanceof SpelExpression spel) {
			check(spel.getAST(), true, attribute, attributes);
		}
	}

	/**
	 * Check a node and the nodes below it.
	 * @param onRoot whether a property in it would be a property of {@code #root}
	 */
	private void check(SpelNode node, boolean onRoot, String attribute, ExpressionSource attributes) {
		if (node instanceof VariableReference variable) {
			checkVariable(variable.toStringAST().substring(1), attribute, attributes);
		}
		if (node instanceof FunctionReference function) {
			checkVariable(function.toStringAST().substring(1).replaceFirst("\\(.*", ""), attribute, attributes);
		}
		if (node instanceof BeanReference && this.context.getBeanResolver() == null) {
			throw attributes.invalid(attribute, "references to beans are not allowed",
					"Set lock.spel.bean-references=true to allow %s".formatted(node.toStringAST()), null);
		}
		if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
			throw attributes.invalid(attribute,
					"%s changes a value, but an expression may only read".formatted(node.toStringAST()),
					"Remove the change", null);
		}
		if (onRoot && node instanceof PropertyOrFieldReference property
				&& !LockKeyRoot.PROPERTIES.contains(property.getName())) {
			throw attributes.invalid(attribute, "there is no property '%s'".formatted(property.getName()),
					"Write a parameter as #%1$s, and a literal in quotes: \"'%1$s'\". The properties of #root are %2$s"
						.formatted(property.getName(), new TreeSet<>(LockKeyRoot.PROPERTIES)),
					null);
		}
		if (onRoot && node instanceof MethodReference method && !isMethodOfRoot(method.getName())) {
			throw attributes.invalid(attribute, "there is no method '%s'".formatted(method.getName()),
					"Call a method of a parameter, as in #id.%1$s(…), or a static one, as in T(com.shop.Keys).%1$s(…)"
						.formatted(method.getName()),
					null);
		}
		boolean ownRoot = node instanceof Projection || node instanceof Selection || node instanceof Indexer;
		boolean compound = node instanceof CompoundExpression;
		for (int i = 0; i < node.getChildCount(); i++) {
			boolean ofRoot = compound && i == 1 && isRoot(node.getChild(0));
			check(node.getChild(i), ofRoot || (onRoot && !ownRoot && (!compound || i == 0)), attribute, attributes);
		}
	}

	private static boolean isMethodOfRoot(String name) {
		return Stream.of(LockKeyRoot.class.getMethods())
			.anyMatch((method) -> method.getDeclaringClass() == LockKeyRoot.class && method.getName().equals(name));
	}

	private static boolean isRoot(SpelNode node) {
		return node instanceof VariableReference variable && variable.toStringAST().equals("#root");
	}

	private void checkVariable(String name, String attribute, ExpressionSource attributes) {
		Method method = attributes.annotated();
		Set<String> known = parameters(attributes).keySet();
		if (!known.contains(name) && !name.equals("root") && !name.equals("this")) {
			String hint = (names(method) != null) ? ""
					: ". The class file has no parameter names: compile it with -parameters";
			String variables = known.isEmpty() ? "#root"
					: known.stream().map("#"::concat).collect(Collectors.joining(", "));
			throw attributes.invalid(attribute,
					"%2$s.%3$s has no parameter '%1$s'".formatted(name, method.getDeclaringClass().getSimpleName(),
							method.getName()),
					"Use one of %s in the SpEL expression%s".formatted(variables, hint), null);
		}
	}

	private static boolean isAlways(Class<? extends Literal> type, Expression expression) {
		return expression instanceof SpelExpression spel && type.isInstance(spel.getAST());
	}

	/**
	 * Return the texts in an expression.
	 */
	private static Stream<String> texts(Expression expression) {
		if (expression instanceof CompositeStringExpression composite) {
			return Stream.of(composite.getExpressions()).flatMap(LockExpressionParser::texts);
		}
		String literal = literal(expression);
		return (literal == null && expression instanceof SpelExpression spel) ? texts(spel.getAST())
				: Stream.ofNullable(literal);
	}

	private static Stream<String> texts(SpelNode node) {
		return (node instanceof StringLiteral text) ? Stream.of(String.valueOf(text.getLiteralValue().getValue()))
				: IntStream.range(0, node.getChildCount())
					.mapToObj(node::getChild)
					.flatMap(LockExpressionParser::texts);
	}

	private static @Nullable String literal(Expression expression) {
		if (expression instanceof LiteralExpression literal) {
			return literal.getExpressionString();
		}
		if (expression instanceof SpelExpression spel && spel.getAST() instanceof StringLiteral literal) {
			return String.valueOf(literal.getLiteralValue().getValue());
		}
		return null;
	}

}
