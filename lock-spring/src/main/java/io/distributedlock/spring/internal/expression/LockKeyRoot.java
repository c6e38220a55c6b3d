package io.distributedlock.spring.internal.expression;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;

/**
 * The object {@code #root} of expressions. Its getters are the properties that an
 * expression can read.
 */
final class LockKeyRoot {

	/**
	 * The names of the getters of this class. What each object has, such as its class or
	 * text, says nothing of the call.
	 */
	static final Set<String> PROPERTIES = Set.of("method", "methodName", "args", "target", "targetClass");

	private final Method method;

	private final @Nullable Object[] args;

	private final Object target;

	LockKeyRoot(Method method, @Nullable Object[] args, Object target) {
		this.method = method;
		this.args = args;
		this.target = target;
	}

	public Method getMethod() {
		return this.method;
	}

	public String getMethodName() {
		return this.method.getName();
	}

	public @Nullable Object[] getArgs() {
		// without what the compiler adds to a suspending function
		return KotlinDetector.isSuspendingFunction(this.method) ? Arrays.copyOf(this.args, this.args.length - 1)
				: this.args;
	}

	public Object getTarget() {
		return this.target;
	}

	public Class<?> getTargetClass() {
		// a subclass made at run time may have another name in each JVM
		return ClassUtils.getUserClass(this.target);
	}

}
