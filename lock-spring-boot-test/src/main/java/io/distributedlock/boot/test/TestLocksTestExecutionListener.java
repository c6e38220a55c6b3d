package io.distributedlock.boot.test;

import java.util.function.Consumer;

import io.distributedlock.LockTemplate;
import io.distributedlock.test.locks.TestLocks;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Keeps the locks of one test method from the next one.
 */
class TestLocksTestExecutionListener extends AbstractTestExecutionListener {

	/**
	 * Before the transaction of a test method begins and after it has ended, since locks
	 * may be held until then: {@code TransactionalTestExecutionListener} has 4000.
	 */
	private static final int ORDER = 3900;

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void beforeTestMethod(TestContext testContext) {
		onLocks(testContext, TestLocks::begin);
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		onLocks(testContext, TestLocks::reset);
	}

	private static void onLocks(TestContext testContext, Consumer<TestLocks> action) {
		if (!testContext.hasApplicationContext()) {
			return;
		}
		ApplicationContext context = testContext.getApplicationContext();
		Environment environment = context.getEnvironment();
		if (environment.getProperty(TestLocksProperty.ENABLED, Boolean.class, false)) {
			// lazy templates are created now, so that the test can use their locks
			BeanFactoryUtils.beansOfTypeIncludingAncestors(context, LockTemplate.class, false, true);
			context.getBeanProvider(TestLocks.class).ifAvailable(action);
		}
	}

}
