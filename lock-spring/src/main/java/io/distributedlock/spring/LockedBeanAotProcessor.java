package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.spring.internal.reach.LockAnnotations;
import io.distributedlock.spring.internal.reach.ReachableMethods;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds the locked methods of a bean when an application is processed ahead of time, and
 * registers what their calls need by reflection. The proxy classes come from
 * {@link DistributedLockBeanPostProcessor#determineBeanType}, which Spring calls then.
 */
class LockedBeanAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		Class<?> type = type(registeredBean);
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return null;
		}
		List<Method> locked = ReachableMethods.of(type)
			.flatMap((method) -> Stream.of(method, ReachableMethods.specific(method, type)))
			.filter((method) -> !LockAnnotations.of(method, type).isEmpty())
			.distinct()
			.toList();
		return locked.isEmpty() ? null : (generation,
				code) -> new LockedBeanHints(generation.getRuntimeHints(), type, registeredBean.getBeanFactory())
					.register(locked);
	}

	/**
	 * Return the class of the bean; behind a factory bean that of the product, such as
	 * the interface of a repository.
	 */
	private static Class<?> type(RegisteredBean bean) {
		Class<?> type = bean.getBeanClass();
		if (FactoryBean.class.isAssignableFrom(type)) {
			Class<?> product = bean.getBeanFactory().getType(bean.getBeanName(), false);
			return (product != null) ? product : type;
		}
		return type;
	}

}
