package io.distributedlock.spring;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;

/**
 * Has no transaction commit that began under a lock which was lost. It is asked behind
 * all synchronizations, as the last before the commit: for the transaction of a locked
 * method, of any bean that it calls, and of a template.
 */
final class LostLockListener implements TransactionExecutionListener {

	private static final LostLockListener INSTANCE = new LostLockListener();

	private LostLockListener() {
	}

	/**
	 * Listen to a bean, if it is a manager of transactions that belong to threads.
	 */
	static void listenTo(Object bean, String beanName) {
		TransactionListeners.add(bean, beanName, PlatformTransactionManager.class, INSTANCE);
	}

	/**
	 * Listen to those that were made before anybody looked at them, and to those of the
	 * parent contexts.
	 */
	static void listenToSingletons(BeanFactory nearest) {
		BeanFactory each = nearest;
		while (each instanceof ConfigurableListableBeanFactory factory) {
			listenToSingletonsOf(factory);
			each = factory.getParentBeanFactory();
		}
	}

	private static void listenToSingletonsOf(ConfigurableListableBeanFactory factory) {
		for (String name : factory.getBeanNamesForType(TransactionManager.class, false, false)) {
			Object manager = factory.getSingleton(name);
			if (manager != null) {
				listenTo(manager, name);
				LostLockReactiveListener.listenTo(manager, name);
			}
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		TransactionLocks kept = TransactionLocks.find();
		if (kept != null) {
			kept.ensureHeld();
		}
		RunningLocks.ensureHeld();
	}

}
