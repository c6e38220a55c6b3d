package io.distributedlock.benchmarks;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spring.DistributedLockBeanPostProcessor;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * An application with one locked bean, on the local provider.
 */
@State(Scope.Benchmark)
public class Application {

	final Orders.Order order = new Orders.Order(42);

	final LockRequest request = LockRequest.of("42").withName("orders");

	final Orders bare = bareProxy();

	private final Expression key = new SpelExpressionParser().parseExpression("#order.id");

	private final EvaluationContext variables = variables(this.order);

	final Orders orders;

	final LockTemplate template;

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	/**
	 * A handle to which nothing refers counts as forgotten, and its lock would end.
	 */
	private final LockHandle busy;

	/**
	 * Start the application.
	 */
	public Application() {
		this.context.registerBean(DefaultLockTemplate.class,
				() -> DefaultLockTemplate.builder().provider(new LocalLockProvider()).keyPrefix("shop:lock").build());
		this.context.registerBean(DistributedLockBeanPostProcessor.class, this::postProcessor);
		this.context.registerBean(NoTransactions.class);
		this.context.registerBean(Orders.class);
		this.context.register(Transactions.class);
		this.context.refresh();
		this.orders = this.context.getBean(Orders.class);
		this.template = this.context.getBean(LockTemplate.class);
		// as a future, which belongs to no thread: the thread of the benchmark must not
		// re-enter this lock
		this.busy = this.template.acquireAsync(LockRequest.of("busy").withName("orders")).join();
	}

	/**
	 * End the application.
	 */
	@TearDown
	public void close() {
		this.busy.close();
		this.context.close();
	}

	private DistributedLockBeanPostProcessor postProcessor() {
		DistributedLockBeanPostProcessor processor = new DistributedLockBeanPostProcessor(
				() -> this.context.getBean(LockTemplate.class), DistributedLockSettings.DEFAULTS);
		processor.setProxyTargetClass(true);
		return processor;
	}

	/**
	 * Evaluate the key expression as the least that it takes: in a context that is there
	 * already.
	 */
	@Nullable Object key() {
		return this.key.getValue(this.variables);
	}

	private static EvaluationContext variables(Orders.Order order) {
		StandardEvaluationContext variables = new StandardEvaluationContext();
		variables.setVariable("order", order);
		return variables;
	}

	private static Orders bareProxy() {
		ProxyFactory factory = new ProxyFactory(new Orders());
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) (call) -> call.proceed());
		return (Orders) factory.getProxy();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Transactions {

	}

	/**
	 * Transactions without a database: they cost only what Spring itself costs.
	 */
	@SuppressWarnings("serial")
	static class NoTransactions extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			// nothing begins
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			// nothing is committed
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			// nothing is rolled back
		}

	}

}
