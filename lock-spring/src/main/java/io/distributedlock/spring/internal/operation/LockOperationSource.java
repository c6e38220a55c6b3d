package io.distributedlock.spring.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.annotation.OnUnavailable;
import io.distributedlock.spring.internal.expression.LockExpressionParser;
import io.distributedlock.spring.internal.invocation.CallRules;
import io.distributedlock.spring.internal.invocation.ContentionPolicy;
import io.distributedlock.spring.internal.invocation.LockedInvocation;
import io.distributedlock.spring.internal.reach.LockAnnotations;
import io.distributedlock.spring.internal.returntype.ReturnType;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import io.distributedlock.spring.internal.transaction.SnapshotWarning;
import io.distributedlock.spring.internal.transaction.TransactionRules;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Turns the annotations of methods into lock operations, once for each method.
 * Thread-safe.
 */
public final class LockOperationSource {

	/**
	 * The names of annotations whose methods a framework calls.
	 */
	private static final Pattern CALLED = Pattern.compile(".*(Listener|Scheduled|Handler|Mapping|Activator)");

	private final ConcurrentHashMap<MethodClassKey, Optional<LockOperation>> operations = new ConcurrentHashMap<>();

	private final Queue<Declared> unchecked = new ConcurrentLinkedQueue<>();

	private final SharedNames names = new SharedNames();

	private final LockExpressionParser parser;

	private final UnaryOperator<@Nullable String> placeholders;

	private final DistributedLockSettings settings;

	private final ContentionPolicies contentionPolicies;

	/**
	 * Gives the template once the operations of all singletons were checked together. A
	 * later one is checked by itself, whenever its bean is created, so that a mistake
	 * does not harm other beans.
	 */
	private volatile @Nullable Supplier<LockTemplate> template;

	/**
	 * Create a source that knows no method yet.
	 * @param parser parses the expressions
	 * @param placeholders resolves the placeholders of a text
	 * @param settings what applies to all annotations
	 * @param beans where handlers are found by their names, {@code null} for nowhere
	 */
	public LockOperationSource(LockExpressionParser parser, UnaryOperator<@Nullable String> placeholders,
			DistributedLockSettings settings, @Nullable BeanFactory beans) {
		this.parser = parser;
		this.placeholders = placeholders;
		this.settings = settings;
		this.contentionPolicies = new ContentionPolicies(settings.onContention(), beans);
	}

	/**
	 * Check that the template can serve the operations that were found so far. From now
	 * on those of each further method are checked when it is found.
	 * @param template gives the template; it is not asked if nothing was found
	 * @throws InvalidLockSetupException if the template lacks a provider, or the provider
	 * a capability, or if a name that is required is missing
	 */
	public void check(Supplier<LockTemplate> template) {
		this.template = template;
		check(this.unchecked, template);
		this.unchecked.clear();
	}

	private void check(Collection<Declared> found, Supplier<LockTemplate> by) {
		requireNames(found);
		for (Declared each : found) {
			try {
				by.get().check(each.prototype);
			}
			catch (InvalidLockRequestException ex) {
				throw new InvalidLockOperationException(each.method, each.userClass, ex.getDescription(),
						ex.getAction(), ex);
			}
			catch (IllegalArgumentException ex) {
				// a template of the application
				throw new InvalidLockOperationException(each.method, each.userClass, String.valueOf(ex.getMessage()),
						"Correct the annotation", ex);
			}
		}
	}

	private void requireNames(Collection<Declared> found) {
		List<String> unnamed = found.stream()
			.flatMap((each) -> each.nameOfMethod.stream())
			.distinct()
			.sorted()
			.toList();
		if (this.settings.requireName() && !unnamed.isEmpty()) {
			throw new InvalidLockSetupException(
					"A name is required, and these methods have an annotation without one: %s. During a deployment they would not exclude an older instance in which class, method or parameters are others"
						.formatted(String.join(", ", unnamed)),
					"Set the attribute name of each, or set lock.require-name=false", null);
		}
	}

	/**
	 * Return what all operations that were found ask for.
	 * @return the requests, without their keys
	 */
	public List<LockRequest> prototypes() {
		return this.operations.values()
			.stream()
			.flatMap(Optional::stream)
			.flatMap((operation) -> operation.requests().stream())
			.map(LockRequestFactory::prototype)
			.toList();
	}

	/**
	 * Return the lock operation of a method.
	 * @param method the method
	 * @param targetClass the class of the bean
	 * @return the operation, {@code null} if the method is not locked
	 * @throws InvalidLockOperationException if an annotation cannot work
	 */
	public @Nullable LockOperation find(Method method, Class<?> targetClass) {
		MethodClassKey cacheKey = new MethodClassKey(method, targetClass);
		Optional<LockOperation> known = this.operations.get(cacheKey);
		if (known == null) {
			known = Optional.ofNullable(build(method, targetClass));
			this.operations.put(cacheKey, known);
		}
		return known.orElse(null);
	}

	/**
	 * Return what a bridge method calls. Spring does not know that for each suspending
	 * function
	 * (<a href="https://github.com/spring-projects/spring-framework/issues/37125">
	 * spring-framework#37125</a>), and the compiler of Kotlin does not copy annotations
	 * to bridge methods.
	 */
	private static Method bridged(Method method, Class<?> userClass) {
		if (!method.isBridge()) {
			return method;
		}
		List<Method> called = Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			.filter((each) -> !each.isBridge() && each.getName().equals(method.getName())
					&& each.getParameterCount() == method.getParameterCount()
					&& IntStream.range(0, each.getParameterCount())
						.allMatch((i) -> method.getParameterTypes()[i].isAssignableFrom(each.getParameterTypes()[i])))
			.toList();
		if (called.size() > 1) {
			called.stream()
				.filter((each) -> !LockAnnotations.of(each, userClass).isEmpty())
				.findFirst()
				.ifPresent((each) -> {
					throw new InvalidLockOperationException(each, userClass,
							"it overloads another function, and which of them a generic supertype calls cannot be found out",
							"Give one of them another name", null);
				});
		}
		return called.isEmpty() ? method : called.get(0);
	}

	private @Nullable LockOperation build(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = Proxy.isProxyClass(userClass) ? ClassUtils.getInterfaceMethodIfPossible(method, userClass)
				: bridged(AopUtils.getMostSpecificMethod(method, userClass), userClass);
		if (ReflectionUtils.isObjectMethod(specific) || LockAnnotations.isCopy(specific)) {
			return null;
		}
		List<LockAttributes> annotations = LockAnnotations.of(specific, userClass)
			.stream()
			.map((each) -> new LockAttributes(each, specific, userClass, this.placeholders))
			.toList();
		if (annotations.isEmpty()) {
			return null;
		}
		requireUse(specific, userClass);
		return build(annotations, specific, userClass);
	}

	/**
	 * Require that callers get what the author of the annotation expects.
	 */
	private static void requireUse(Method method, Class<?> userClass) {
		MergedAnnotations others = MergedAnnotations.from(method);
		if (others.isPresent(Bean.class)) {
			throw new InvalidLockOperationException(method, userClass,
					"the lock would be around the creation of the bean, not around what the bean does",
					"Put the annotation on a method of the bean's class, or use LockTemplate inside the function",
					null);
		}
		if (handleParameter(method) >= 0 && others.stream().noneMatch(LockOperationSource::isOfAController)) {
			others.stream()
				.map((each) -> each.getType().getSimpleName())
				.filter((name) -> CALLED.matcher(name).matches())
				.findFirst()
				.ifPresent((name) -> {
					throw new InvalidLockOperationException(method, userClass,
							"the method is called because of @%s, which has no value for a LockHandle".formatted(name),
							"Remove the parameter, and use LockContext.current() inside the method", null);
				});
		}
	}

	/**
	 * Return whether an annotation is one of Spring MVC and WebFlux, which give
	 * {@code null} for the parameter.
	 */
	private static boolean isOfAController(MergedAnnotation<?> annotation) {
		return annotation.getType().getPackageName().equals("org.springframework.web.bind.annotation");
	}

	private static int handleParameter(Method method) {
		return Arrays.asList(method.getParameterTypes()).indexOf(LockHandle.class);
	}

	private static boolean isAsynchronous(Method method, Class<?> userClass) {
		return Stream.of(method, userClass)
			.anyMatch((each) -> MergedAnnotations.from(each, SearchStrategy.TYPE_HIERARCHY).isPresent(Async.class));
	}

	private LockOperation build(List<LockAttributes> annotations, Method method, Class<?> userClass) {
		LockedInvocation invocation = LockedInvocation.of(ReturnType.of(method, userClass),
				(problem, action) -> new InvalidLockOperationException(method, userClass, problem, action, null));
		List<LockRequestFactory> requests = annotations.stream()
			.map((each) -> LockRequestFactory.of(each, this.parser))
			.toList();
		CallRules rules = new CallRules(contention(annotations, invocation),
				agreed("onUnavailable", annotations, (each) -> each.choice("onUnavailable", OnUnavailable.class)),
				agreed("onLost", annotations, (each) -> each.choice("onLost", OnLost.class)),
				new TransactionRules(agreed("release", annotations, (each) -> each.afterTransaction(this.settings)),
						OptionalLibraries.TRANSACTIONS && this.settings.verifyBeforeCommit(),
						new SnapshotWarning(method, this.settings.repeatableRead())),
				handleParameter(method), isAsynchronous(method, userClass));
		LockOperation operation = new LockOperation(requests, invocation, rules);
		annotations.forEach(this.names::note);
		List<Declared> found = IntStream.range(0, requests.size())
			.mapToObj((i) -> new Declared(method, userClass, requests.get(i).prototype(),
					annotations.get(i).nameOfMethod()))
			.toList();
		this.unchecked.addAll(found);
		Supplier<LockTemplate> started = this.template;
		if (started != null) {
			this.unchecked.removeAll(found);
			check(found, started);
		}
		return operation;
	}

	private ContentionPolicy contention(List<LockAttributes> annotations, LockedInvocation invocation) {
		for (String attribute : List.of("onContention", "fallback", "handler")) {
			agreed(attribute, annotations, (each) -> String.valueOf(each.annotation().getValue(attribute).orElse("")));
		}
		return this.contentionPolicies.of(annotations.get(0), invocation);
	}

	/**
	 * The annotations of one method all apply to the same call, so they must agree on
	 * what happens to it.
	 */
	private static <T> T agreed(String attribute, List<LockAttributes> annotations, Function<LockAttributes, T> value) {
		T first = value.apply(annotations.get(0));
		for (LockAttributes each : annotations) {
			if (!value.apply(each).equals(first)) {
				throw each.invalid(attribute, "a method has several annotations, and they differ in this attribute",
						"Give all of them the same value: the locks are acquired together and released together", null);
			}
		}
		return first;
	}

	/**
	 * An annotation that was parsed, and the request that it makes.
	 */
	private record Declared(Method method, Class<?> userClass, LockRequest prototype, Optional<String> nameOfMethod) {
	}

}
