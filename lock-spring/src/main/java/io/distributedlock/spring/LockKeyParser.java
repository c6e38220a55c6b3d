package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parses the key expressions of annotations, once, and finds at start-up what would fail
 * at every call.
 */
final class LockKeyParser {

	private final SpelExpressionParser parser = new SpelExpressionParser();

	private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

	private final @Nullable BeanResolver beans;

	/**
	 * Create a parser.
	 * @param beans resolves references to beans, {@code null} if they are not allowed
	 */
	LockKeyParser(@Nullable BeanResolver beans) {
		this.beans = beans;
	}

	LockKey parse(String text, Method method, Class<?> targetClass) {
		Expression expression = parseExpression(text, method, targetClass);
		check(expression, text, method, targetClass);
		String literal = literal(expression);
		if (literal != null) {
			if (literal.isBlank()) {
				throw new InvalidLockOperationException(method, targetClass, "key", text, "the key is blank", null);
			}
			return (call, target) -> literal;
		}
		return new LockKeyEvaluator(expression, text, method, this.parameterNames, this.beans);
	}

	private Expression parseExpression(String text, Method method, Class<?> targetClass) {
		try {
			return text.contains("#{") ? this.parser.parseExpression(text, new TemplateParserContext())
					: this.parser.parseExpression(text);
		}
		catch (ParseException ex) {
			throw new InvalidLockOperationException(method, targetClass, "key", text,
					"no SpEL expression, at position %d: %s. A literal needs quotes: \"'%s'\""
						.formatted(ex.getPosition(), ex.getSimpleMessage(), text.replace("'", "")),
					ex);
		}
	}

	private void check(Expression expression, String text, Method method, Class<?> targetClass) {
		if (expression instanceof CompositeStringExpression composite) {
			for (Expression part : composite.getExpressions()) {
				check(part, text, method, targetClass);
			}
		}
		else if (expression instanceof SpelExpression spel) {
			check(spel.getAST(), text, method, targetClass);
		}
	}

	private void check(SpelNode node, String text, Method method, Class<?> targetClass) {
		if (node instanceof VariableReference variable) {
			checkVariable(variable.toStringAST().substring(1), text, method, targetClass);
		}
		if (node instanceof BeanReference && this.beans == null) {
			throw new InvalidLockOperationException(method, targetClass, "key", text,
					"references to beans are off. Set lock.spel.bean-references=true to allow %s"
						.formatted(node.toStringAST()),
					null);
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			check(node.getChild(i), text, method, targetClass);
		}
	}

	private void checkVariable(String name, String text, Method method, Class<?> targetClass) {
		Set<String> known = new LinkedHashSet<>();
		@Nullable String[] names = this.parameterNames.getParameterNames(method);
		if (names != null) {
			known.addAll(Arrays.asList(names));
		}
		for (int i = 0; i < method.getParameterCount(); i++) {
			known.add("p" + i);
			known.add("a" + i);
		}
		if (!known.contains(name) && !name.equals("root") && !name.equals("this")) {
			String hint = (names != null) ? "" : ". The class has no parameter names: compile it with -parameters";
			throw new InvalidLockOperationException(method, targetClass, "key", text,
					"there is no parameter '%s'; there are %s%s".formatted(name, known, hint), null);
		}
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
