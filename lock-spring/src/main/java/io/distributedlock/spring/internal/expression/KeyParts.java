package io.distributedlock.spring.internal.expression;

import java.util.EnumSet;
import java.util.Set;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.TypedValue;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Makes an expression refuse null among the parts that it joins to a text, since the
 * finished text does not show it. This is done once, when the expression is parsed; an
 * expression without parts stays as it is.
 */
final class KeyParts {

	private static final Set<SpelMessage> MISSING = EnumSet.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
			SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED, SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
			SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS, SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS,
			SpelMessage.STRING_INDEX_OUT_OF_BOUNDS);

	private KeyParts() {
	}

	/**
	 * Return an expression that refuses parts which are null.
	 */
	static Expression checked(Expression expression) {
		if (expression instanceof CompositeStringExpression composite) {
			Expression[] parts = composite.getExpressions().clone();
			for (int i = 0; i < parts.length; i++) {
				if (parts[i] instanceof SpelExpression part) {
					parts[i] = expression(part, new Part(checked((SpelNodeImpl) part.getAST())));
				}
			}
			return new CompositeStringExpression(composite.getExpressionString(), parts);
		}
		if (expression instanceof SpelExpression spel) {
			SpelNodeImpl whole = (SpelNodeImpl) spel.getAST();
			SpelNodeImpl checked = checked(whole);
			return (checked != whole) ? expression(spel, checked) : spel;
		}
		return expression;
	}

	/**
	 * Return whether an expression failed because a value is missing: a part, what a
	 * property or a method was asked of, or an element.
	 */
	static boolean isMissing(EvaluationException failure) {
		return failure instanceof NullPartException
				|| (failure instanceof SpelEvaluationException ex && MISSING.contains(ex.getMessageCode()));
	}

	private static Expression expression(SpelExpression original, SpelNodeImpl checked) {
		return new SpelExpression(original.getExpressionString(), checked, LockExpressionParser.CONFIGURATION);
	}

	/**
	 * Return a node that checks its parts, if its value is a key or a part of one.
	 */
	private static SpelNodeImpl checked(SpelNodeImpl node) {
		int from = node.getStartPosition();
		int to = node.getEndPosition();
		if (node instanceof OpPlus && node.getChildCount() == 2) {
			return new OpPlus(from, to, part(node.getChild(0)), part(node.getChild(1)));
		}
		if (node instanceof Ternary) {
			return new Ternary(from, to, (SpelNodeImpl) node.getChild(0), checked((SpelNodeImpl) node.getChild(1)),
					checked((SpelNodeImpl) node.getChild(2)));
		}
		if (node instanceof Elvis) {
			return new Elvis(from, to, checked((SpelNodeImpl) node.getChild(0)),
					checked((SpelNodeImpl) node.getChild(1)));
		}
		if (node instanceof InlineList list && !list.isConstant()) {
			SpelNodeImpl[] children = new SpelNodeImpl[node.getChildCount()];
			for (int i = 0; i < children.length; i++) {
				children[i] = checked((SpelNodeImpl) node.getChild(i));
			}
			return new InlineList(from, to, children);
		}
		return node;
	}

	private static SpelNodeImpl part(SpelNode node) {
		SpelNodeImpl checked = checked((SpelNodeImpl) node);
		return (checked instanceof Literal || checked instanceof OpPlus) ? checked : new Part(checked);
	}

	/**
	 * A part of a text.
	 */
	private static final class Part extends SpelNodeImpl {

		private final SpelNodeImpl node;

		Part(SpelNodeImpl node) {
			super(node.getStartPosition(), node.getEndPosition(), node);
			this.node = node;
		}

		@Override
		public TypedValue getValueInternal(ExpressionState state) {
			TypedValue result = this.node.getTypedValue(state);
			if (KeyTexts.unwrapped(result.getValue()) == null) {
				throw new NullPartException(toStringAST() + " is null");
			}
			return result;
		}

		@Override
		public String toStringAST() {
			return this.node.toStringAST();
		}

	}

}
