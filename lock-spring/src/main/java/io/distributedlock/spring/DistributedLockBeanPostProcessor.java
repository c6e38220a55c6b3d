package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.spring.aspectj.DistributedLockAspect;
import io.distributedlock.spring.expression.LockExpressionParser;
import io.distributedlock.spring.reach.ClassChecks;
import io.distributedlock.spring.reach.ReachableMethods;
import io.distributedlock.spring.support.OptionalLibraries;
import io.distributedlock.spring.transaction.TransactionListeners;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.function.SingletonSupplier;

/**
 * Puts methods that carry {@link DistributedLock} under their locks, and checks every
 * annotation: how it is written when its bean is created, and whether its provider can
 * serve it when all beans have been made.
 * <p>
 * Among the advice of a bean the lock's goes by its order, before what has none and so
 * before that of transactions and caches: a transaction which the method starts has ended
 * when the lock is given back. Advice for retries and asynchronous execution is added
 * later, outside of all.
 *
 * @since 0.1
 */
public class DistributedLockBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements SmartInitializingSingleton, DisposableBean {

	/**
	 * The default order: just before advice without an order.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 2;

	private static final long serialVersionUID = 1L;

	private final transient Supplier<LockTemplate> template;

	private final transient DistributedLockSettings settings;

	private transient @Nullable LockOperationSource operations;

	private transient @Nullable Advisor commitCheck;

	/**
	 * Whether all singletons have been made.
	 */
	private volatile boolean started;

	private transient @Nullable ClassChecks classChecks;

	private final transient Set<ProxyTypes> proxied = Collections.newSetFromMap(new ConcurrentReferenceHashMap<>());

	private final transient UnseenSingletons unseen = new UnseenSingletons();

	/**
	 * The order of the advice, which is not that of this post-processor.
	 */
	private int adviceOrder = DEFAULT_ORDER;

	/**
	 * Whether beans are wrapped by proxies.
	 */
	private boolean proxying = true;

	/**
	 * Create a post-processor.
	 * @param template gives the template; asked at the first call of a locked method, so
	 * that neither it nor a connection is made too early
	 * @param settings what applies to all annotated methods
	 */
	public DistributedLockBeanPostProcessor(Supplier<LockTemplate> template, DistributedLockSettings settings) {
		this.template = SingletonSupplier.of(template);
		this.settings = settings;
		setBeforeExistingAdvisors(true);
		// before the post-processors for retries and asynchronous execution, which so
		// put theirs outside
		setOrder(DEFAULT_ORDER);
	}

	/**
	 * Set where the lock's advice goes among that of a bean: outside of what has a higher
	 * order or none, inside of what has a lower one.
	 * @param adviceOrder the order, by default {@link #DEFAULT_ORDER}
	 */
	public void setAdviceOrder(int adviceOrder) {
		this.adviceOrder = adviceOrder;
	}

	/**
	 * Set whether beans are wrapped by proxies. Without them the advice is woven in, see
	 * {@link io.distributedlock.spring.aspectj.DistributedLockAspect}.
	 * @param proxying {@code false} for no proxies
	 */
	public void setProxying(boolean proxying) {
		this.proxying = proxying;
	}

	boolean isProxying() {
		return this.proxying;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		LockModes.requireThatOfParents(beanFactory, this.proxying);
		LockExpressionParser parser = new LockExpressionParser(
				this.settings.beanReferences() ? new BeanFactoryResolver(beanFactory) : null);
		LockOperationSource operations = new LockOperationSource(parser,
				(text) -> resolvePlaceholders(beanFactory, text), this.settings, beanFactory);
		this.operations = operations;
		this.classChecks = this.proxying ? ClassChecks.ofProxies() : ClassChecks
			.ofWeaving((method, type) -> operations.find(method, type) != null, InvalidLockOperationException::new);
		OperationPointcut pointcut = new OperationPointcut(operations);
		LockAdvisor lockAdvisor = new LockAdvisor(pointcut, new DistributedLockInterceptor(operations, this.template),
				beanFactory);
		lockAdvisor.setOrder(this.adviceOrder);
		this.advisor = lockAdvisor;
		if (OptionalLibraries.TRANSACTIONS) {
			this.commitCheck = new CommitCheckAdvisor(pointcut, beanFactory);
		}
		if (!this.proxying) {
			// before there are beans, whose initialization may call locked methods
			DistributedLockAspect.use(interceptor());
		}
		else if (OptionalLibraries.ASPECTJ) {
			DistributedLockAspect.leaveToProxies();
		}
	}

	/**
	 * Return the advice, for calls that do not come through a proxy.
	 * @return what runs a method under its locks
	 */
	public MethodInterceptor interceptor() {
		if (this.advisor == null || !(this.advisor.getAdvice() instanceof MethodInterceptor interceptor)) {
			throw new IllegalStateException("The bean factory has not been set yet");
		}
		return interceptor;
	}

	/**
	 * Return the advice for a bean that was serialized.
	 */
	Advisor advisor(SerializedAdvisor.Kind kind) {
		Advisor found = switch (kind) {
			case LOCK -> this.advisor;
			case COMMIT_CHECK -> this.commitCheck;
		};
		if (found == null) {
			throw new IllegalStateException("There is no advice of kind " + kind + " here");
		}
		return found;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.proxying && this.beanFactory != null) {
			this.unseen.check(this.beanFactory);
		}
		this.started = true;
		if (verifiesCommits() && this.beanFactory != null) {
			TransactionListeners.listenToSingletons(this.beanFactory);
		}
		checkOperations();
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (!this.started) {
			this.unseen.seen(beanName);
		}
		if (verifiesCommits()) {
			TransactionListeners.listenTo(bean, beanName);
		}
		if (ProxyLayers.takeLocks(bean)) {
			// another bean under a second name, maybe one of the parent context, or what
			// has been wrapped around one
			return bean;
		}
		Object place = place(bean, beanName);
		Object result = super.postProcessAfterInitialization(place, beanName);
		if (result instanceof Advised advised && !advised.isFrozen() && this.advisor != null) {
			arrange(advised, this.advisor);
		}
		if (result instanceof Advised advised) {
			checkMethods(advised);
		}
		if (this.started) {
			// a lazy bean, or one of another scope
			checkOperations();
		}
		return (place == bean) ? result : bean;
	}

	/**
	 * Move the lock's advice behind that of a lower order, and put the check before the
	 * commit innermost: but before advice that goes no further, as the last of a
	 * repository.
	 */
	private void arrange(Advised advised, Advisor lockAdvisor) {
		int from = advised.indexOf(lockAdvisor);
		if (from < 0) {
			return;
		}
		int to = from;
		Advisor[] advisors = advised.getAdvisors();
		while (to + 1 < advisors.length
				&& AnnotationAwareOrderComparator.INSTANCE.compare(advisors[to + 1], lockAdvisor) < 0) {
			to++;
		}
		if (to != from) {
			advised.removeAdvisor(from);
			advised.addAdvisor(to, lockAdvisor);
		}
		if (this.commitCheck != null && advisors.length > 1 && advised.indexOf(this.commitCheck) < 0) {
			advised.addAdvisor(behindTransactions(advised.getAdvisors()), this.commitCheck);
		}
	}

	private static int behindTransactions(Advisor[] advisors) {
		for (int i = advisors.length - 1; i >= 0; i--) {
			if (advisors[i].getAdvice() instanceof TransactionAspectSupport) {
				return i + 1;
			}
		}
		return advisors.length;
	}

	/**
	 * Stop locking woven methods.
	 */
	@Override
	public void destroy() {
		if (!this.proxying) {
			DistributedLockAspect.forget(interceptor());
		}
	}

	private boolean verifiesCommits() {
		return OptionalLibraries.TRANSACTIONS && this.settings.verifyBeforeCommit();
	}

	private void checkOperations() {
		if (this.operations != null) {
			this.operations.check(this.template);
		}
	}

	/**
	 * Return what takes the advice for a bean: itself, or a proxy inside of it.
	 */
	private Object place(Object bean, String beanName) {
		Class<?> hidden = HiddenTargets.find(bean);
		if (hidden != null && this.proxying) {
			return HiddenTargets.place(bean, beanName, hidden);
		}
		if (hidden != null) {
			check(hidden);
		}
		return bean;
	}

	/**
	 * Look at all methods of a proxy: Spring stops at the first that has locks, and a
	 * mistake in another one would show at its call.
	 */
	private void checkMethods(Advised proxy) {
		LockOperationSource source = this.operations;
		Class<?> target = AopUtils.getTargetClass(proxy);
		if (source == null || !LockAdvisor.isAmong(proxy)
				|| !this.proxied.add(new ProxyTypes(proxy.getClass(), target))) {
			return;
		}
		Stream<Class<?>> types = Proxy.isProxyClass(proxy.getClass()) ? Stream.of(proxy.getProxiedInterfaces())
				: Stream.of(ClassUtils.getUserClass(target));
		types.flatMap(ReachableMethods::of).forEach((method) -> source.find(method, target));
	}

	@Override
	protected boolean isEligible(Class<?> targetClass) {
		boolean eligible = super.isEligible(targetClass);
		check(targetClass);
		return eligible && this.proxying;
	}

	private void check(Class<?> targetClass) {
		if (this.classChecks != null) {
			this.classChecks.check(targetClass);
		}
	}

	private static @Nullable String resolvePlaceholders(BeanFactory beanFactory, @Nullable String text) {
		return (text != null && beanFactory instanceof ConfigurableBeanFactory configurable)
				? configurable.resolveEmbeddedValue(text) : text;
	}

	private record ProxyTypes(Class<?> proxy, Class<?> target) {
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
