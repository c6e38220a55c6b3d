package io.distributedlock.application;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import com.example.shop.ShopApplication;
import io.distributedlock.LockContext;
import io.distributedlock.LockNotAcquiredException;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * The application with threads of its own that lock all the time, as consumers of
 * messages do. It prints when a thread is inside, and whether it had the lock to the end.
 */
final class BusyApplication {

	static final String BEGUN = "BEGUN";

	static final String HELD = "HELD";

	static final String REFUSED = "REFUSED";

	private static final int THREADS = 6;

	private static final int KEYS = 3;

	private static final Duration WORK = Duration.ofMillis(700);

	private BusyApplication() {
	}

	/**
	 * Run until the process gets a signal.
	 * @param args properties of the application
	 */
	public static void main(String[] args) {
		SpringApplication application = new SpringApplicationBuilder(ShopApplication.class, LockedOrders.class).build();
		LockedOrders orders = application.run(args).getBean(LockedOrders.class);
		for (int i = 0; i < THREADS; i++) {
			String key = "busy" + i % KEYS;
			new Thread(() -> work(orders, key), "worker-" + i).start();
		}
	}

	private static void work(LockedOrders orders, String key) {
		try {
			while (true) {
				orders.settle(key, () -> {
					say(BEGUN);
					long end = System.nanoTime() + WORK.toNanos();
					while (System.nanoTime() - end < 0) {
						LockSupport.parkNanos(end - System.nanoTime());
					}
					LockContext.current().ensureHeld();
					// before the release: after it the process may end at any time
					say(HELD);
					return key;
				});
			}
		}
		catch (LockNotAcquiredException ex) {
			say(REFUSED + " " + ex.getReason());
		}
	}

	private static void say(String what) {
		System.out.println(what);
	}

}
