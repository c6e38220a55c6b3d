package io.distributedlock.test.patience;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.PreInterruptCallback;
import org.junit.jupiter.api.extension.PreInterruptContext;

/**
 * Ends the JVM of a test that goes on although its time-out of JUnit has struck. That
 * time-out interrupts the thread, which ends no {@code CompletableFuture.join()} and no
 * read from a database. The JVM exits, so that its shutdown hooks end the servers.
 *
 * @since 0.1
 */
public final class HangingTest implements PreInterruptCallback {

	private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(HangingTest.class);

	private final Duration grace;

	private final Runnable end;

	/**
	 * Create the extension that JUnit finds by itself.
	 */
	public HangingTest() {
		// a clean-up after the test has a time-out of this length, too
		this(Duration.ofMinutes(2), () -> System.exit(1));
	}

	HangingTest(Duration grace, Runnable end) {
		this.grace = grace;
		this.end = end;
	}

	@Override
	public void beforeThreadInterrupt(PreInterruptContext interrupted, ExtensionContext test) {
		CountDownLatch ended = new CountDownLatch(1);
		// JUnit closes what it stores when the test has ended
		test.getStore(NAMESPACE).put(interrupted, (AutoCloseable) ended::countDown);
		Thread watch = new Thread(() -> endUnlessDone(ended, test.getDisplayName()), "hanging-test");
		watch.setDaemon(true);
		watch.start();
	}

	private void endUnlessDone(CountDownLatch ended, String test) {
		try {
			if (!ended.await(this.grace.toMillis(), TimeUnit.MILLISECONDS)) {
				System.err.println("The interrupt has not ended " + test + ", so its JVM ends");
				this.end.run();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
