package io.distributedlock.spring.internal.reach;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.annotation.InvalidLockSetupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.SpringProxy;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of annotated methods whose calls do not go through a proxy.
 */
public final class UnreachableMethods {

	private static final Logger logger = LoggerFactory.getLogger(UnreachableMethods.class);

	private static final String WAY_OUT = "Call it from another bean, use LockTemplate inside the method, or set lock.mode=aspectj";

	/**
	 * The annotations whose post-processors keep the object that they see.
	 */
	private static final Pattern KEPT = Pattern
		.compile(".*[.$](Scheduled|\\w*Listener|(Kafka|Rabbit)Handler|JobWorker|Mcp\\w+)|"
				+ "org\\.springframework\\.integration\\.annotation\\.\\w+");

	private UnreachableMethods() {
	}

	/**
	 * Warn of methods that a proxy cannot intercept.
	 * @param userClass the class
	 */
	public static void warn(Class<?> userClass) {
		if (Proxy.isProxyClass(userClass)) {
			// its methods are final but implement those of interfaces
			return;
		}
		ReflectionUtils.doWithMethods(userClass, (method) -> {
			if (!ReachableMethods.isReachable(method, userClass)) {
				if (isWanted(method, userClass) && !isOverload(method)) {
					logger.warn(new InvalidLockOperationException(method, userClass,
							"a proxy cannot intercept a %s, so the annotation has no effect"
								.formatted(describe(method, userClass)),
							WAY_OUT, null)
						.getMessage());
				}
			}
			else {
				callOfTheObject(method).filter((call) -> LockAnnotations.areOn(method))
					.ifPresent((call) -> logger.warn(new InvalidLockOperationException(method, userClass,
							"the annotation has no effect when %s, since that call does not go through the proxy"
								.formatted(call),
							WAY_OUT, null)
						.getMessage()));
			}
		});
	}

	/**
	 * Return what calls a method on the object behind the proxy, if something does.
	 */
	private static Optional<String> callOfTheObject(Method method) {
		if (isOfTheLifecycle(method)) {
			return Optional.of("Spring calls the method to initialize or destroy the bean");
		}
		return Stream.of(method.getAnnotations())
			.map((each) -> each.annotationType().getName())
			.filter((name) -> name.startsWith("org.springframework.batch.core.annotation."))
			.findFirst()
			.map((name) -> "Spring Batch calls the method as a listener");
	}

	/**
	 * Refuse a class with a final method of an interface that may need fields, such as
	 * {@code init} of Spring's filters. If the proxy is a subclass, it would run on the
	 * proxy, whose fields have no values.
	 * @param userClass the class
	 * @throws InvalidLockSetupException if it has one
	 */
	public static void refuseFinal(Class<?> userClass) {
		Stream.of(userClass.getMethods())
			.filter((method) -> Modifier.isFinal(method.getModifiers()) && isCalledOnTheProxy(method, userClass)
					&& mayNeedFields(method.getDeclaringClass()))
			.findFirst()
			.ifPresent((method) -> {
				throw new InvalidLockSetupException(
						"A bean of type %s cannot be locked: %s.%s is final. It would run on the proxy, where the fields of the bean have no values"
							.formatted(userClass.getName(), method.getDeclaringClass().getName(), method.getName()),
						"Move the locked method to another bean, use LockTemplate inside the method, or set lock.mode=aspectj",
						null);
			});
	}

	/**
	 * Return whether the methods of a class can read fields of an object: its own, and
	 * those of its superclasses that are not private.
	 */
	private static boolean mayNeedFields(Class<?> type) {
		return ReachableMethods.withParents(type)
			.flatMap((each) -> Stream.of(each.getDeclaredFields()))
			.anyMatch((field) -> !Modifier.isStatic(field.getModifiers())
					&& (field.getDeclaringClass() == type || !Modifier.isPrivate(field.getModifiers())));
	}

	/**
	 * Return whether an interface declares a method, so that others call it on the proxy.
	 * Spring calls what it calls while it creates or ends a bean on the bean itself.
	 */
	private static boolean isCalledOnTheProxy(Method method, Class<?> userClass) {
		Class<?> type = ClassUtils.getInterfaceMethodIfPossible(method, userClass).getDeclaringClass();
		return type.isInterface() && !Aware.class.isAssignableFrom(type) && type != InitializingBean.class
				&& type != DisposableBean.class && !overrides(method, AutoCloseable.class, "close");
	}

	/**
	 * Return whether a framework calls locked methods on the object that its
	 * post-processor sees, such as those with {@code @Scheduled}. It calls those that
	 * listen to events on the bean.
	 * @param userClass the class
	 * @return whether such calls miss a proxy that was made before
	 */
	public static boolean areCalledOnTheObject(Class<?> userClass) {
		return Stream
			.concat(Stream.of(userClass),
					ReachableMethods.of(userClass).filter((method) -> isLocked(method, userClass)))
			.map((each) -> MergedAnnotations.from(each, SearchStrategy.TYPE_HIERARCHY))
			.filter((annotations) -> !annotations.isPresent(EventListener.class))
			.flatMap(MergedAnnotations::stream)
			.anyMatch((each) -> KEPT.matcher(each.getType().getName()).matches());
	}

	/**
	 * Warn of calls that do not go through the proxy of a class.
	 * @param userClass the class
	 * @param bySubclass whether the proxy is a subclass of it
	 */
	public static void warnOfCalls(Class<?> userClass, boolean bySubclass) {
		boolean ofInterfaces = Proxy.isProxyClass(userClass);
		if (ofInterfaces && SpringProxy.class.isAssignableFrom(userClass)) {
			// it runs default methods on itself
			return;
		}
		calls(userClass, bySubclass,
				(method) -> (ofInterfaces || ReachableMethods.isReachable(method, userClass))
						&& !LockAnnotations.isCopy(method) && isLocked(method, userClass))
			.forEach((call) -> logger.warn(
					"In {}, {} of the same class. A call on the same object does not go through the proxy, so the called method runs without its lock. {}",
					(ofInterfaces ? userClass.getInterfaces()[0] : userClass).getName(), call, WAY_OUT));
	}

	/**
	 * Return the calls. A class that cannot be read, as it names an optional library that
	 * is missing, is no reason not to start.
	 */
	private static Set<String> calls(Class<?> userClass, boolean bySubclass, Predicate<Method> locked) {
		try {
			return SelfInvocations.find(userClass, bySubclass, locked);
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("{} is not checked for calls of locked methods, since it cannot be read", userClass.getName(),
					ex);
			return Set.of();
		}
	}

	/**
	 * Return whether the author of an annotation wants a method to be locked. An
	 * annotation on a class applies to its public methods; those that it inherits from a
	 * framework are no reason for a warning.
	 */
	private static boolean isWanted(Method method, Class<?> userClass) {
		return LockAnnotations.areOn(method) || (!LockAnnotations.isCopy(method)
				&& !SelfInvocations.isOfAFramework(method.getDeclaringClass().getName())
				&& isLocked(method, userClass));
	}

	/**
	 * Return whether the compiler of Kotlin made a method for {@code @JvmOverloads}. It
	 * is final and calls the annotated one, on the proxy.
	 */
	private static boolean isOverload(Method method) {
		return Modifier.isFinal(method.getModifiers()) && Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			// has the object, all parameters, which are set, and a marker
			.anyMatch((each) -> each.isSynthetic()
					&& each.getName().equals(method.getName() + SelfInvocations.WITH_DEFAULTS)
					&& each.getParameterCount() - 3 > method.getParameterCount());
	}

	private static boolean isLocked(Method method, Class<?> userClass) {
		try {
			return !LockAnnotations.of(method, userClass).isEmpty();
		}
		catch (InvalidLockOperationException ex) {
			// no reason for a warning: who reads the annotation to use it reports this
			return false;
		}
	}

	private static boolean isOfTheLifecycle(Method method) {
		MergedAnnotations annotations = MergedAnnotations.from(method);
		return annotations.isPresent("jakarta.annotation.PostConstruct")
				|| annotations.isPresent("jakarta.annotation.PreDestroy")
				|| overrides(method, InitializingBean.class, "afterPropertiesSet")
				|| overrides(method, DisposableBean.class, "destroy")
				|| overrides(method, AutoCloseable.class, "close");
	}

	private static boolean overrides(Method method, Class<?> type, String name) {
		return type.isAssignableFrom(method.getDeclaringClass()) && method.getName().equals(name)
				&& method.getParameterCount() == 0;
	}

	private static String describe(Method method, Class<?> userClass) {
		return ReachableMethods.isOfAnotherPackage(method, userClass) ? "package-private method of another package"
				: Modifier.toString(method.getModifiers()) + " method";
	}

}
