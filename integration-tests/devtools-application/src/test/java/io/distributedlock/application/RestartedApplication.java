package io.distributedlock.application;

import java.util.List;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

/**
 * Locks, lets devtools restart it as after a change of a class, locks again, and ends.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ RestartedApplication.Orders.class, RestartedApplication.Start.class })
public class RestartedApplication {

	/**
	 * Kept by the JVM, as a restart loads the classes again.
	 */
	private static final String RUNS = "runs";

	public static void main(String[] args) {
		SpringApplication.run(RestartedApplication.class, args);
	}

	/**
	 * A key of this type is read by an expression of a class that stays loaded.
	 *
	 * @param id which order
	 */
	public record Order(String id) {
	}

	static class Orders {

		@DistributedLock(name = "order", key = "#order.id")
		public String settle(Order order) {
			return LockContext.current().key();
		}

	}

	static class Start {

		private final Orders orders;

		Start(Orders orders) {
			this.orders = orders;
		}

		@EventListener
		void ready(ApplicationReadyEvent event) {
			int run = Integer.getInteger(RUNS, 0) + 1;
			System.setProperty(RUNS, Integer.toString(run));
			ApplicationContext context = event.getApplicationContext();
			System.out.printf("RUN %s %s %s %s%n", run, this.orders.settle(new Order("7")),
					Order.class.getClassLoader().getClass().getSimpleName(),
					context.getBeanNamesForType(DefaultLockTemplate.class).length);
			if (run == 1) {
				new Thread(() -> Restarter.getInstance().restart(), "changed-classes").start();
				return;
			}
			try {
				// a thread of before may not have ended yet
				Patience.await().until(() -> timers().size() == 1);
			}
			finally {
				System.out.printf("THREADS %s%n", timers().size());
			}
			SpringApplication.exit(context);
			try {
				Patience.await().until(() -> timers().isEmpty());
			}
			finally {
				System.out.printf("LEFT %s%n", timers().size());
				Runtime.getRuntime().halt(0);
			}
		}

		/**
		 * Return the threads of the timers of lock templates: each template has one.
		 */
		private static List<String> timers() {
			return Thread.getAllStackTraces()
				.keySet()
				.stream()
				.map(Thread::getName)
				.filter((name) -> name.startsWith("lock-timer"))
				.toList();
		}

	}

}
