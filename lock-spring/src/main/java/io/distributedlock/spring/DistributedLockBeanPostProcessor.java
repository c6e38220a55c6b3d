package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.Set;
import java.util.function.Supplier;

import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Puts methods that carry {@link DistributedLock} under their locks, and checks every
 * annotation: how it is written when its bean is created, and whether its provider can
 * serve it when all beans have been made.
 * <p>
 * The advice goes before that of transactions, so that a transaction which the method
 * starts has ended when the lock is given back, and behind that of retries and
 * asynchronous execution.
 *
 * @since 0.1
 */
public class DistributedLockBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements SmartInitializingSingleton {

	/**
	 * The default order: just before the advice for retries, which is so added outside.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 2;

	private static final long serialVersionUID = 1L;

	private static final Logger logger = LoggerFactory.getLogger(DistributedLockBeanPostProcessor.class);

	private final transient Supplier<LockTemplate> template;

	/**
	 * Whether key expressions may refer to beans.
	 */
	private final boolean beanReferences;

	private transient @Nullable LockOperationSource operations;

	/**
	 * Whether all singletons have been made.
	 */
	private volatile boolean started;

	private final transient Set<Class<?>> examined = Collections.newSetFromMap(new ConcurrentReferenceHashMap<>());

	/**
	 * Create a post-processor.
	 * @param template gives the template; asked at the first call of a locked method, so
	 * that neither it nor a connection is made too early
	 * @param beanReferences whether key expressions may refer to beans
	 */
	public DistributedLockBeanPostProcessor(Supplier<LockTemplate> template, boolean beanReferences) {
		this.template = SingletonSupplier.of(template);
		this.beanReferences = beanReferences;
		setBeforeExistingAdvisors(true);
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		LockKeyParser keyParser = new LockKeyParser(this.beanReferences ? new BeanFactoryResolver(beanFactory) : null);
		LockOperationSource operations = new LockOperationSource(keyParser,
				(text) -> resolvePlaceholders(beanFactory, text));
		this.operations = operations;
		this.advisor = new DefaultPointcutAdvisor(new OperationPointcut(operations),
				new DistributedLockInterceptor(operations, this.template));
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.started = true;
		checkOperations();
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Object result = super.postProcessAfterInitialization(bean, beanName);
		if (this.started) {
			// a lazy bean, or one of another scope
			checkOperations();
		}
		return result;
	}

	private void checkOperations() {
		if (this.operations != null) {
			this.operations.check(this.template);
		}
	}

	@Override
	protected boolean isEligible(Class<?> targetClass) {
		boolean eligible = super.isEligible(targetClass);
		if (this.examined.add(targetClass) && AnnotationUtils.isCandidateClass(targetClass, DistributedLock.class)) {
			ReflectionUtils.doWithLocalMethods(ClassUtils.getUserClass(targetClass), this::warnOfUnreachable);
		}
		return eligible;
	}

	private void warnOfUnreachable(Method method) {
		int modifiers = method.getModifiers();
		boolean unreachable = Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)
				|| Modifier.isFinal(modifiers);
		if (unreachable
				&& MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLock.class)) {
			logger.warn(
					"@DistributedLock on {}.{} has no effect: a {} method is out of a proxy's reach. Make it a public method that another bean calls, or use LockTemplate inside",
					method.getDeclaringClass().getName(), method.getName(), Modifier.toString(modifiers));
		}
	}

	private static @Nullable String resolvePlaceholders(BeanFactory beanFactory, @Nullable String text) {
		return (text != null && beanFactory instanceof ConfigurableBeanFactory configurable)
				? configurable.resolveEmbeddedValue(text) : text;
	}

	private static final class OperationPointcut extends StaticMethodMatcherPointcut {

		private final LockOperationSource operations;

		private OperationPointcut(LockOperationSource operations) {
			this.operations = operations;
			setClassFilter((type) -> AnnotationUtils.isCandidateClass(type, DistributedLock.class));
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.operations.find(method, targetClass) != null;
		}

	}

}
