package io.distributedlock.spring.internal.transaction;

import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.target.AbstractBeanFactoryBasedTargetSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;

/**
 * Adds listeners to transaction managers. An application starts also if a manager takes
 * no listener; a warning is logged then.
 */
public final class TransactionListeners {

	private static final Logger logger = LoggerFactory.getLogger(TransactionListeners.class);

	private TransactionListeners() {
	}

	/**
	 * Listen to a bean, if it is a transaction manager.
	 * @param bean the bean
	 * @param beanName its name
	 */
	public static void listenTo(Object bean, String beanName) {
		add(bean, beanName, PlatformTransactionManager.class, CommitListener.INSTANCE);
		add(bean, beanName, ReactiveTransactionManager.class, ReactiveCommitListener.INSTANCE);
	}

	/**
	 * Listen to transaction managers that were created before the post-processor, and to
	 * those of the parent contexts.
	 * @param nearest the bean factory of the context
	 */
	public static void listenToSingletons(BeanFactory nearest) {
		BeanFactory each = nearest;
		while (each instanceof ConfigurableListableBeanFactory factory) {
			for (String name : factory.getBeanNamesForType(TransactionManager.class, false, false)) {
				Object manager = factory.getSingleton(name);
				if (manager != null) {
					listenTo(manager, name);
				}
			}
			each = factory.getParentBeanFactory();
		}
	}

	/**
	 * Listen to a bean, if it is a transaction manager of the given type. A proxy for a
	 * bean of another scope takes no listener: the bean itself takes it when it is
	 * created.
	 */
	private static void add(Object bean, String beanName, Class<? extends TransactionManager> type,
			TransactionExecutionListener listener) {
		if (type.isInstance(bean) && bean instanceof ConfigurableTransactionManager manager
				&& !standsForAnother(bean)) {
			try {
				add(manager, listener);
			}
			catch (RuntimeException ex) {
				logger.warn(
						"Transactions of bean '{}' that start inside of a locked method may commit although its lock was lost: the bean takes no listener. Let its setTransactionExecutionListeners accept one",
						beanName, ex);
			}
		}
	}

	private static void add(ConfigurableTransactionManager manager, TransactionExecutionListener listener) {
		if (!manager.getTransactionExecutionListeners().contains(listener)) {
			// the list of the manager may be immutable
			List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
			listeners.add(listener);
			manager.setTransactionExecutionListeners(listeners);
		}
	}

	private static boolean standsForAnother(Object bean) {
		return bean instanceof AopInfrastructureBean || (bean instanceof Advised proxy
				&& proxy.getTargetSource() instanceof AbstractBeanFactoryBasedTargetSource);
	}

}
