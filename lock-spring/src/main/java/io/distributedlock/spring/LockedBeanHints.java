package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.spring.internal.reach.LockAnnotations;
import io.distributedlock.spring.internal.reach.ReachableMethods;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Registers what the calls of one bean's locked methods do by reflection: the advice
 * calls the method or its fallback, and expressions read their arguments.
 *
 * @param hints where it is registered
 * @param type the class of the bean
 * @param beans the beans that expressions may name
 */
record LockedBeanHints(RuntimeHints hints, Class<?> type, BeanFactory beans) {

	private static final Pattern VARIABLE = Pattern.compile("#(\\w+)");

	private static final Pattern BEAN = Pattern.compile("@(\\w+)");

	private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

	private static final BindingReflectionHintsRegistrar BINDING = new BindingReflectionHintsRegistrar();

	void register(List<Method> locked) {
		// a superclass that the image does not know would seem to have no locked methods
		ReachableMethods.withParents(this.type).forEach((each) -> this.hints.reflection().registerType(each));
		locked.forEach((method) -> {
			this.hints.reflection().registerMethod(method, ExecutableMode.INVOKE);
			LockAnnotations.of(method, this.type).forEach((annotation) -> register(annotation, method));
		});
	}

	private void register(MergedAnnotation<DistributedLock> annotation, Method method) {
		for (MergedAnnotation<?> each = annotation; each != null; each = each.getMetaSource()) {
			this.hints.reflection().registerType(each.getType(), MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		String fallback = annotation.getString("fallback");
		ReflectionUtils.doWithMethods(this.type,
				(each) -> this.hints.reflection().registerMethod(each, ExecutableMode.INVOKE),
				(each) -> each.getName().equals(fallback) && !each.isSynthetic());
		Method named = (annotation.getSource() instanceof Method source) ? source : method;
		Stream.of("key", "condition").map(annotation::getString).forEach((text) -> registerRead(text, method, named));
	}

	/**
	 * Register what an expression reads.
	 * @param named the method whose parameter names the author of the expression saw
	 */
	private void registerRead(String expression, Method method, Method named) {
		Set<String> variables = found(VARIABLE, expression);
		boolean all = mentions(expression, "args");
		for (int i = 0; i < method.getParameterCount(); i++) {
			if (all || variables.contains("p" + i) || variables.contains("a" + i) || variables.contains(name(named, i))
					|| variables.contains(name(method, i))) {
				registerRead(method.getParameterTypes()[i]);
				BINDING.registerReflectionHints(this.hints.reflection(), method.getGenericParameterTypes()[i]);
			}
		}
		if (mentions(expression, "target")) {
			registerRead(this.type);
		}
		found(BEAN, expression).stream()
			.filter(this.beans::containsBean)
			.map(this.beans::getType)
			.filter((bean) -> bean != null)
			.forEach((bean) -> registerRead(ClassUtils.getUserClass(bean)));
	}

	/**
	 * Let expressions read the properties of a type, and call its methods.
	 */
	private void registerRead(Class<?> read) {
		if (!read.isPrimitive()) {
			this.hints.reflection().registerType(read, MemberCategory.INVOKE_PUBLIC_METHODS);
			// each of them: the category has another name in Spring 6
			Stream.of(read.getFields()).forEach(this.hints.reflection()::registerField);
		}
	}

	private @Nullable String name(Method method, int index) {
		@Nullable String[] names = PARAMETER_NAMES.getParameterNames(method);
		return (names != null && index < names.length) ? names[index] : null;
	}

	private static boolean mentions(String expression, String property) {
		return List.of(expression.split("\\W+", -1)).contains(property);
	}

	private static Set<String> found(Pattern pattern, String expression) {
		return pattern.matcher(expression).results().map((each) -> each.group(1)).collect(Collectors.toSet());
	}

}
