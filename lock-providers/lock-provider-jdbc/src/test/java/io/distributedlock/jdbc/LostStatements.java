package io.distributedlock.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import javax.sql.DataSource;

import io.distributedlock.test.patience.Patience;

/**
 * A database where one statement, or the reply to it, is lost or comes late.
 */
public final class LostStatements {

	private final DataSource database;

	private final Queue<String> executed = new ConcurrentLinkedQueue<>();

	/**
	 * One fault after the other.
	 */
	private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();

	public LostStatements(DataSource database) {
		this.database = database;
	}

	public DataSource dataSource() {
		return proxy(DataSource.class, (method, arguments) -> {
			Object result = method.invoke(this.database, arguments);
			return (result instanceof Connection connection) ? watched(connection) : result;
		});
	}

	/**
	 * Return the statements so far, and forget them.
	 */
	public List<String> executed() {
		List<String> statements = new ArrayList<>();
		for (String sql = this.executed.poll(); sql != null; sql = this.executed.poll()) {
			statements.add(sql);
		}
		return statements;
	}

	/**
	 * Lose the reply to the next such statement.
	 */
	public Fault loseReply(Predicate<String> statement) {
		return loseReply(statement, new SQLException("connection reset", "08006"));
	}

	/**
	 * Let the driver throw something in place of the reply to the next such statement.
	 */
	public Fault loseReply(Predicate<String> statement, Exception thrown) {
		return arm(new Fault(statement, (fault, execution) -> {
			execution.call();
			fault.reached.countDown();
			throw thrown;
		}));
	}

	/**
	 * Let the next such statement fail, while its connection stays as it is.
	 */
	public Fault fail(Predicate<String> statement) {
		return arm(new Fault(statement, (fault, execution) -> {
			fault.reached.countDown();
			throw new SQLException("no space left", "53100");
		}));
	}

	/**
	 * Hold the reply to the next such statement until {@link Fault#proceed()}.
	 */
	public Fault delayReply(Predicate<String> statement) {
		return arm(new Fault(statement, (fault, execution) -> {
			Object reply = execution.call();
			fault.reached.countDown();
			fault.awaitProceed();
			return reply;
		}));
	}

	/**
	 * Hold the next such statement until {@link Fault#proceed()}.
	 */
	public Fault delay(Predicate<String> statement) {
		return arm(new Fault(statement, (fault, execution) -> {
			fault.reached.countDown();
			fault.awaitProceed();
			Object reply = execution.call();
			fault.executed.countDown();
			return reply;
		}));
	}

	private Fault arm(Fault fault) {
		this.faults.add(fault);
		return fault;
	}

	private Connection watched(Connection connection) {
		return proxy(Connection.class, (method, arguments) -> {
			Object result = method.invoke(connection, arguments);
			return (result instanceof PreparedStatement statement) ? watched(statement, (String) arguments[0]) : result;
		});
	}

	private PreparedStatement watched(PreparedStatement statement, String sql) {
		return proxy(PreparedStatement.class, (method, arguments) -> {
			if (method.getName().startsWith("execute")) {
				this.executed.add(sql);
			}
			Fault fault = this.faults.peek();
			if (fault != null && method.getName().startsWith("execute") && fault.statement.test(sql)
					&& this.faults.remove(fault)) {
				return fault.behaviour.around(fault, () -> method.invoke(statement, arguments));
			}
			return method.invoke(statement, arguments);
		});
	}

	private static <T> T proxy(Class<T> type, Call call) {
		InvocationHandler handler = (proxy, method, arguments) -> {
			try {
				return call.on(method, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		};
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler));
	}

	private interface Call {

		Object on(Method method, Object[] arguments) throws Throwable;

	}

	private interface Execution {

		Object call() throws Throwable;

	}

	private interface Behaviour {

		Object around(Fault fault, Execution execution) throws Throwable;

	}

	/**
	 * What happens to one statement.
	 */
	public static final class Fault {

		private final Predicate<String> statement;

		private final Behaviour behaviour;

		private final CountDownLatch reached = new CountDownLatch(1);

		private final CountDownLatch proceeds = new CountDownLatch(1);

		private final CountDownLatch executed = new CountDownLatch(1);

		private Fault(Predicate<String> statement, Behaviour behaviour) {
			this.statement = statement;
			this.behaviour = behaviour;
		}

		public boolean isReached() {
			return this.reached.getCount() == 0;
		}

		public boolean isExecuted() {
			return this.executed.getCount() == 0;
		}

		public void proceed() {
			this.proceeds.countDown();
		}

		private void awaitProceed() throws InterruptedException {
			if (!this.proceeds.await(Patience.SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException("The held statement was never told to proceed");
			}
		}

	}

}
