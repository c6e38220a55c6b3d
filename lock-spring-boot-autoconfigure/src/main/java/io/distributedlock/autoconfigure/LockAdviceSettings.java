package io.distributedlock.autoconfigure;

import java.util.regex.Pattern;

import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.spring.DistributedLockBeanPostProcessor;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Makes the post-processor with its settings, directly from the environment. The
 * post-processor needs them before other beans are created, so it cannot use the
 * {@link LockProperties} bean.
 */
final class LockAdviceSettings {

	/**
	 * A driver of another name may wrap that of the database.
	 */
	private static final Pattern MYSQL = Pattern.compile("jdbc:([^:/]+:)*(mysql|mariadb):.*");

	private LockAdviceSettings() {
	}

	static DistributedLockBeanPostProcessor postProcessor(ObjectProvider<LockTemplate> template,
			Environment environment) {
		LockProperties properties = bind(environment);
		DistributedLockBeanPostProcessor processor = new DistributedLockBeanPostProcessor(() -> single(template),
				settings(properties, environment));
		processor.setProxyTargetClass(environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
		processor.setAdviceOrder(properties.order());
		processor.setProxying(properties.mode() == LockProperties.Mode.PROXY);
		return processor;
	}

	private static LockTemplate single(ObjectProvider<LockTemplate> template) {
		try {
			return template.getObject();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new InvalidLockSetupException(
					"Annotated methods use one LockTemplate, but there are several beans of this type and none is primary: %s."
						.formatted(ex.getBeanNamesFound()),
					"Mark one of them as @Primary. One template serves several providers: name them in lock.provider and lock.providers.",
					ex);
		}
	}

	static DistributedLockSettings settings(LockProperties properties, Environment environment) {
		LockProperties.Transaction transaction = properties.transaction();
		return new DistributedLockSettings(properties.spel().beanReferences(), properties.onContention(),
				transaction.release(), transaction.verifyBeforeCommit(), properties.requireName(),
				isRepeatableRead(environment));
	}

	/**
	 * Return whether the database of the application is one whose transactions read what
	 * they saw first by default. No connection is asked: it may be in use, or missing.
	 */
	private static boolean isRepeatableRead(Environment environment) {
		return MYSQL.matcher(environment.getProperty("spring.datasource.url", "")).matches()
				&& !environment.getProperty("spring.datasource.hikari.transaction-isolation", "").contains("COMMITTED");
	}

	static LockProperties bind(Environment environment) {
		return Binder.get(environment).bindOrCreate("lock", LockProperties.class);
	}

}
