package io.distributedlock.sample.coordinator;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.distributedlock.sample.Mode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClientException;

/**
 * Follows what the nodes do, by their meters.
 */
@Component
class NodeMonitor {

	private static final Logger logger = LoggerFactory.getLogger(NodeMonitor.class);

	private static final int ACTIVITY_MILLIS = 150;

	private static final int FIGURES_MILLIS = 1000;

	/**
	 * How long the nodes are asked after somebody has looked at the page.
	 */
	private static final long WATCHED_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final Map<Integer, Activity> activities = new ConcurrentHashMap<>();

	private final Map<Integer, LockFigures> figures = new ConcurrentHashMap<>();

	private final DemoState state;

	private final NodeProcesses nodes;

	private volatile long watchedAt = System.nanoTime() - WATCHED_NANOS;

	NodeMonitor(DemoState state, NodeProcesses nodes) {
		this.state = state;
		this.nodes = nodes;
	}

	void start(int node) {
		ScheduledExecutorService executor = Executors.newScheduledThreadPool(2, (task) -> {
			Thread thread = new Thread(task, "monitor-of-node-" + node);
			thread.setDaemon(true);
			return thread;
		});
		executor.scheduleWithFixedDelay(() -> readActivity(node), 0, ACTIVITY_MILLIS, TimeUnit.MILLISECONDS);
		executor.scheduleWithFixedDelay(() -> readFigures(node), 0, FIGURES_MILLIS, TimeUnit.MILLISECONDS);
	}

	/**
	 * Somebody looks at the page.
	 */
	void watched() {
		this.watchedAt = System.nanoTime();
	}

	Activity activity(int node) {
		return (this.nodes.url(node) != null) ? this.activities.getOrDefault(node, Activity.PAUSED) : Activity.DOWN;
	}

	/**
	 * Return what the node's meters said last.
	 */
	@Nullable LockFigures figures(int node) {
		return (this.nodes.url(node) != null) ? this.figures.get(node) : null;
	}

	private void readActivity(int node) {
		String url = this.nodes.url(node);
		try {
			if (url != null && isWatched()) {
				this.activities.put(node, activity(new NodeActuator(url)));
			}
		}
		catch (RestClientException ex) {
			logger.debug("Node {} does not answer", node, ex);
		}
	}

	private void readFigures(int node) {
		String url = this.nodes.url(node);
		try {
			if (url == null) {
				this.figures.remove(node);
			}
			else if (isWatched()) {
				this.figures.put(node, LockFigures.read(new NodeActuator(url)));
			}
		}
		catch (RestClientException ex) {
			logger.debug("Node {} does not answer", node, ex);
		}
	}

	private boolean isWatched() {
		return System.nanoTime() - this.watchedAt < WATCHED_NANOS;
	}

	private Activity activity(NodeActuator actuator) {
		if (this.state.running() == null) {
			return Activity.PAUSED;
		}
		// the lock inside the JVM has meters of its own
		String lock = (this.state.mode() == Mode.LOCKED) ? "lock" : "demo.lock";
		if (actuator.value(lock + ".held") > 0) {
			return Activity.REFRESHING;
		}
		return (actuator.value(lock + ".waiting") > 0) ? Activity.WAITING_TO_REFRESH : Activity.SENDING;
	}

	/**
	 * What a node does.
	 */
	enum Activity {

		/**
		 * Does not run.
		 */
		DOWN,

		/**
		 * Gets no messages, because the mode changes.
		 */
		PAUSED,

		/**
		 * Sends messages.
		 */
		SENDING,

		/**
		 * Waits for the lock.
		 */
		WAITING_TO_REFRESH,

		/**
		 * Holds the lock and fetches a new token.
		 */
		REFRESHING

	}

}
