package io.distributedlock.spring;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.spring.aspectj.DistributedLockAspect;
import io.distributedlock.spring.internal.support.OptionalLibraries;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Requires that an application context has the same lock mode as its parents. Woven
 * advice runs for the beans of all contexts, so a bean behind a proxy would be locked
 * twice.
 */
final class LockModes {

	private LockModes() {
	}

	/**
	 * Compare a context with its parents.
	 * @throws InvalidLockSetupException if one differs
	 */
	static void requireThatOfParents(HierarchicalBeanFactory beans, boolean proxying) {
		if (!(beans.getParentBeanFactory() instanceof ListableBeanFactory parents)) {
			return;
		}
		boolean differs = BeanFactoryUtils.beansOfTypeIncludingAncestors(parents, ContextAdvice.class, true, false)
			.values()
			.stream()
			.anyMatch((each) -> each.isProxying() != proxying);
		if (differs) {
			throw new InvalidLockSetupException(
					"lock.mode is %s in this application context and %s in a parent context: beans of one of them would take their locks twice"
						.formatted(name(proxying), name(!proxying)),
					"Set the same lock.mode in both", null);
		}
	}

	/**
	 * Require that the agent has woven the aspect in.
	 * @throws InvalidLockSetupException if it has not
	 */
	static void requireAgent() {
		if (!OptionalLibraries.ASPECTJ || !DistributedLockAspect.isWoven()) {
			throw new InvalidLockSetupException(
					"lock.mode is aspectj, but the aspect of lock-spring is not woven in: annotated methods would run without their locks",
					"Start the JVM with -javaagent:aspectjweaver.jar (org.aspectj:aspectjweaver), and keep META-INF/aop.xml of lock-spring on the class path; or set lock.mode=proxy",
					null);
		}
	}

	private static String name(boolean proxying) {
		return proxying ? "proxy" : "aspectj";
	}

}
