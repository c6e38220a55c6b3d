package io.distributedlock.spring;

import org.springframework.beans.factory.BeanFactory;
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
	 * @throws IllegalStateException if one differs
	 */
	static void requireThatOfParents(BeanFactory beans, boolean proxying) {
		BeanFactory parent = (beans instanceof HierarchicalBeanFactory child) ? child.getParentBeanFactory() : null;
		if (!(parent instanceof ListableBeanFactory parents)) {
			return;
		}
		boolean differs = BeanFactoryUtils
			.beansOfTypeIncludingAncestors(parents, DistributedLockBeanPostProcessor.class, true, false)
			.values()
			.stream()
			.anyMatch((each) -> each.isProxying() != proxying);
		if (differs) {
			throw new IllegalStateException(
					"lock.mode is %s in this application context and %s in a parent context: beans of one of them would take their locks twice. Set the same lock.mode in both"
						.formatted(name(proxying), name(!proxying)));
		}
	}

	private static String name(boolean proxying) {
		return proxying ? "proxy" : "aspectj";
	}

}
