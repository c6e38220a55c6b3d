package io.distributedlock.spring;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.spring.aspectj.DistributedLockAspect;
import io.distributedlock.spring.internal.reach.UnreachableMethods;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import io.distributedlock.spring.internal.transaction.TransactionListeners;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Puts methods that carry {@link DistributedLock} under their locks, and checks every
 * annotation. How the annotation is written is checked when its bean is created; whether
 * the provider can serve it is checked when all singletons have been created.
 * <p>
 * The advice for locks takes its place among the advice of a bean by its order. By
 * default it is outside of advice without an order, such as that for transactions and
 * caches: a transaction that the method starts has ended when the lock is released.
 * Advice for retries and asynchronous execution is added later, outside of all other
 * advice.
 * <p>
 * Why: docs/decisions/021-advice-by-post-processor.md
 *
 * @since 0.1
 */
public class DistributedLockBeanPostProcessor extends ContextAdvice implements SmartInstantiationAwareBeanPostProcessor,
		SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent>, DisposableBean {

	/**
	 * The default order: just before advice without an order.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 2;

	private static final long serialVersionUID = 1L;

	private final transient Supplier<LockTemplate> template;

	private final transient DistributedLockSettings settings;

	private final transient UnseenSingletons unseen = new UnseenSingletons();

	/**
	 * The objects of beans whose proxy was needed before they were initialized. A bean
	 * whose creation has failed may be created again, as another object.
	 */
	private final transient Map<String, Object> early = new ConcurrentHashMap<>();

	private transient @Nullable LockAdvisors advisors;

	/**
	 * Whether all singletons have been created.
	 */
	private volatile boolean started;

	/**
	 * The order of the advice, which is not that of this post-processor.
	 */
	private int adviceOrder = DEFAULT_ORDER;

	/**
	 * Whether beans are wrapped in proxies.
	 */
	private boolean proxying = true;

	/**
	 * Create a post-processor.
	 * @param template gives the template. It is asked when all singletons have been
	 * created and one has locked methods, or at the first call of a locked method if that
	 * is earlier. So neither the template nor a connection is created too early
	 * @param settings what applies to all annotated methods
	 */
	public DistributedLockBeanPostProcessor(Supplier<LockTemplate> template, DistributedLockSettings settings) {
		this.template = SingletonSupplier.of(template);
		this.settings = settings;
		setBeforeExistingAdvisors(true);
		// before the post-processors for retries and asynchronous execution, which then
		// put their advice outside of the lock's
		setOrder(DEFAULT_ORDER);
	}

	/**
	 * Set the place of the lock's advice among the advice of a bean: outside of advice
	 * with a higher order or none, inside of advice with a lower one.
	 * @param adviceOrder the order, by default {@link #DEFAULT_ORDER}
	 */
	public void setAdviceOrder(int adviceOrder) {
		this.adviceOrder = adviceOrder;
	}

	/**
	 * Set whether beans are wrapped in proxies. Without proxies the advice is woven in,
	 * see {@link io.distributedlock.spring.aspectj.DistributedLockAspect}.
	 * @param proxying {@code false} for no proxies
	 */
	public void setProxying(boolean proxying) {
		this.proxying = proxying;
	}

	@Override
	boolean isProxying() {
		return this.proxying;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		DefaultListableBeanFactory beans = (DefaultListableBeanFactory) beanFactory;
		if (exposesProxies(beans)) {
			setExposeProxy(true);
		}
		LockModes.requireThatOfParents(beans, this.proxying);
		LockAdvisors created = LockAdvisors.of(beans, this.settings, this.template, this.adviceOrder, this.proxying);
		this.advisors = created;
		this.advisor = created.lock();
		if (!this.proxying) {
			LockModes.requireAgent();
			// now, since the initialization of a bean may call locked methods
			DistributedLockAspect.use(interceptor());
		}
		else if (OptionalLibraries.ASPECTJ) {
			DistributedLockAspect.leaveToProxies();
		}
	}

	/**
	 * Return whether the application wants its code to find the proxy in
	 * {@code AopContext}. Spring 6 tells that to other advice only.
	 */
	private static boolean exposesProxies(BeanFactory beans) {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return beans.containsBean(creator) && beans.getBean(creator) instanceof ProxyConfig config
				&& config.isExposeProxy();
	}

	private MethodInterceptor interceptor() {
		return requiredAdvisors().interceptor();
	}

	/**
	 * Return what the annotated methods of the beans that exist so far ask for.
	 * @return the requests, complete except for the key
	 */
	public List<LockRequest> declaredRequests() {
		return requiredAdvisors().operations().prototypes();
	}

	@Override
	Advisor advisor(SerializedAdvisor.Role role) {
		return requiredAdvisors().of(role);
	}

	private LockAdvisors requiredAdvisors() {
		if (this.advisors == null) {
			throw new IllegalStateException(
					"The post-processor for @DistributedLock has no bean factory yet. Register it as a bean");
		}
		return this.advisors;
	}

	@Override
	public void afterSingletonsInstantiated() {
		LockAdvisors created = requiredAdvisors();
		if (this.proxying) {
			this.unseen.check(created.beans());
		}
		this.started = true;
		if (verifiesCommits()) {
			TransactionListeners.listenToSingletons(created.beans());
		}
		created.operations().check(this.template);
	}

	/**
	 * Refuse a child context without a post-processor, whose locked methods would run
	 * without their locks. Its events reach its parents, too. It is closed, since an
	 * error handler for events may swallow the exception.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (this.proxying && event.getApplicationContext() instanceof ConfigurableApplicationContext child
				&& !isIn(child.getBeanFactory())) {
			try {
				UnseenSingletons.checkChild(child.getBeanFactory());
			}
			catch (InvalidLockOperationException ex) {
				child.close();
				throw ex;
			}
		}
	}

	/**
	 * Refuse it on the thread that refreshes it, whatever thread hears other events.
	 */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

	/**
	 * Put a bean under its locks that is injected into itself, or into a bean that it
	 * needs. The advice for transactions comes first here, and the locks join its proxy.
	 */
	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		Object reference = advised(bean, beanName);
		if (ProxyLayers.takeLocks(reference)) {
			this.early.put(beanName, ProxyLayers.innermost(bean));
		}
		return reference;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (!this.started) {
			this.unseen.seen(beanName);
		}
		if (this.early.remove(beanName) == ProxyLayers.innermost(bean)) {
			requireNoOtherUse(bean, beanName);
			return bean;
		}
		if (verifiesCommits()) {
			TransactionListeners.listenTo(bean, beanName);
		}
		return advised(bean, beanName);
	}

	/**
	 * Require that no post-processor wraps a bean whose proxy was needed early, or calls
	 * it: it would take the bean as it was, without its locks.
	 */
	private void requireNoOtherUse(Object bean, String beanName) {
		boolean used = bean instanceof Advised || UnreachableMethods.areCalledOnTheObject(ClassUtils.getUserClass(bean))
				|| requiredAdvisors().beans()
					.getBeanPostProcessors()
					.stream()
					.filter((each) -> each != this && each instanceof AbstractAdvisingBeanPostProcessor)
					.anyMatch((each) -> each.postProcessAfterInitialization(bean, beanName) != bean);
		if (used) {
			throw new InvalidLockSetupException(
					"Bean '%s' of type %s would run without its locks: it is injected into itself, or into a bean that it needs, and has an annotation that is served afterwards, such as @Async, @Retryable, @Scheduled or @KafkaListener"
						.formatted(beanName, bean.getClass().getName()),
					"Mark the injection of '%s' @Lazy".formatted(beanName), null);
		}
	}

	private Object advised(Object bean, String beanName) {
		if (ProxyLayers.takeLocks(bean)) {
			// the same object under a second bean name, possibly a bean of the parent
			// context, or a wrapper around a locked bean
			return bean;
		}
		Object place = place(bean, beanName);
		Object result = super.postProcessAfterInitialization(place, beanName);
		if (result instanceof Advised proxy) {
			arrange(proxy);
		}
		return (place == bean) ? result : bean;
	}

	/**
	 * Return the object that takes the advice for a bean: the bean itself, or a proxy
	 * inside of it.
	 */
	private Object place(Object bean, String beanName) {
		Class<?> hidden = HiddenTargets.find(bean);
		if (hidden != null && this.proxying) {
			return HiddenTargets.place(bean, beanName, hidden);
		}
		if (hidden != null) {
			requiredAdvisors().checks().checkClass(hidden);
		}
		return bean;
	}

	private void arrange(Advised proxy) {
		if (!proxy.isFrozen()) {
			requiredAdvisors().arrange(proxy);
		}
		requiredAdvisors().checks().checkProxy(proxy);
	}

	@Override
	protected boolean isEligible(Class<?> targetClass) {
		boolean eligible = super.isEligible(targetClass);
		requiredAdvisors().checks().checkClass(targetClass);
		return eligible && this.proxying;
	}

	private boolean verifiesCommits() {
		return OptionalLibraries.TRANSACTIONS && this.settings.verifyBeforeCommit();
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

}
