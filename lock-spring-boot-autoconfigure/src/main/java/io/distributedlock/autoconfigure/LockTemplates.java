package io.distributedlock.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.Objects;

import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockTemplate;

import org.springframework.aop.framework.AopProxyUtils;

/**
 * Finds the templates of an application, also those behind a proxy of the application,
 * but no mock of a test.
 *
 * @since 0.1
 */
public final class LockTemplates {

	private LockTemplates() {
	}

	/**
	 * Return the templates behind beans.
	 * @param beans the beans
	 * @return each template once
	 */
	public static List<DefaultLockTemplate> of(Collection<LockTemplate> beans) {
		return beans.stream()
			.map((each) -> Objects.requireNonNullElse(AopProxyUtils.getSingletonTarget(each), each))
			.filter(DefaultLockTemplate.class::isInstance)
			.map(DefaultLockTemplate.class::cast)
			.distinct()
			.toList();
	}

}
