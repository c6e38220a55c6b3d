package io.distributedlock.sample.coordinator;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.distributedlock.sample.Mode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Runs the demonstration: first without the lock, then with it.
 */
@Component
@EnableConfigurationProperties(DemoProperties.class)
class DemoRun {

	private static final Duration LONGEST_START = Duration.ofMinutes(3);

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

	private final DemoProperties properties;

	private final NodeProcesses nodes;

	private final MessageLoad load;

	private final NodeMonitor monitor;

	private final DemoState state;

	private final ClosingReport closingReport;

	private final CountDownLatch stopped = new CountDownLatch(1);

	private volatile @Nullable Mode chosen;

	private volatile boolean alternating;

	private int port;

	DemoRun(DemoProperties properties, NodeProcesses nodes, MessageLoad load, NodeMonitor monitor, DemoState state,
			ClosingReport closingReport) {
		this.properties = properties;
		this.nodes = nodes;
		this.load = load;
		this.monitor = monitor;
		this.state = state;
		this.closingReport = closingReport;
	}

	@EventListener
	void onWebServer(WebServerInitializedEvent event) {
		this.port = event.getWebServer().getPort();
	}

	boolean isBounded() {
		return this.properties.duration() != null;
	}

	boolean isAlternating() {
		return this.alternating;
	}

	int nodes() {
		return this.properties.nodes();
	}

	/**
	 * Change to a mode, and stop alternating.
	 */
	void choose(Mode mode) {
		this.alternating = false;
		this.chosen = mode;
	}

	/**
	 * Run both modes, each for half of the time.
	 * @return whether no message was refused with the lock, and some were without it
	 */
	boolean runBounded() {
		Duration whole = this.properties.duration();
		Duration half = (whole != null) ? whole.dividedBy(2) : this.properties.alternate();
		startNodes();
		for (Mode mode : Mode.values()) {
			this.closingReport.say((mode == Mode.LOCKED) ? "with the lock ..." : "without the lock ...");
			switchTo(mode);
			pauseFor(half);
		}
		quiet();
		this.closingReport.print(this.state.figures());
		return ClosingReport.isAsExpected(this.state.figures());
	}

	void runUntilStopped() {
		Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "closing-report"));
		startNodes();
		this.closingReport.say("The page: http://localhost:%s    Press Ctrl-C to stop.".formatted(this.port));
		this.alternating = true;
		Mode current = Mode.UNLOCKED;
		switchTo(current);
		while (this.stopped.getCount() > 0) {
			long phaseEnd = System.nanoTime() + this.properties.alternate().toNanos();
			await(this.properties.alternate(),
					() -> this.chosen != null || this.stopped.getCount() == 0 || System.nanoTime() - phaseEnd >= 0);
			Mode wish = this.chosen;
			this.chosen = null;
			Mode next = (wish != null) ? wish
					: !this.alternating ? current : (current == Mode.LOCKED) ? Mode.UNLOCKED : Mode.LOCKED;
			if (next != current && this.stopped.getCount() > 0) {
				current = next;
				switchTo(current);
			}
		}
	}

	private void stop() {
		this.stopped.countDown();
		this.closingReport.print(this.state.figures());
	}

	private void startNodes() {
		this.closingReport.start(this.port);
		IntStream.rangeClosed(1, nodes()).forEach((node) -> this.nodes.start(node, this.port));
		if (!await(LONGEST_START,
				() -> IntStream.rangeClosed(1, nodes()).allMatch((node) -> this.nodes.url(node) != null))) {
			throw new NodesNotStartedException(LONGEST_START);
		}
		IntStream.rangeClosed(1, nodes()).forEach((node) -> {
			this.load.start(node);
			this.monitor.start(node);
		});
	}

	private void switchTo(Mode mode) {
		quiet();
		this.state.begin(mode);
	}

	/**
	 * Send no more messages, and wait for those that are under way: they count for the
	 * mode in which they were started.
	 */
	private void quiet() {
		this.state.pause();
		await(LONGEST_WAIT, this.load::isQuiet);
	}

	private void pauseFor(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		await(duration.plusSeconds(1), () -> System.nanoTime() - end >= 0);
	}

	private boolean await(Duration atMost, BooleanSupplier condition) {
		long end = System.nanoTime() + atMost.toNanos();
		while (!condition.getAsBoolean()) {
			try {
				if (System.nanoTime() - end >= 0 || this.stopped.await(20, TimeUnit.MILLISECONDS)) {
					return condition.getAsBoolean();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
		}
		return true;
	}

}
