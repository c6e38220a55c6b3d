package io.distributedlock.sample.coordinator;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.sample.Mode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Component;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/**
 * Has the nodes send messages about orders to customers, on several threads for each
 * node.
 */
@Component
class MessageLoad {

	private static final Logger logger = LoggerFactory.getLogger(MessageLoad.class);

	private static final int THREADS = 3;

	private static final long PAUSE_MILLIS = 30;

	private final RestClient client = RestClient.create();

	private final DemoState state;

	private final NodeProcesses nodes;

	private final AtomicInteger underWay = new AtomicInteger();

	private final AtomicLong orders = new AtomicLong();

	MessageLoad(DemoState state, NodeProcesses nodes) {
		this.state = state;
		this.nodes = nodes;
	}

	void start(int node) {
		for (int i = 0; i < THREADS; i++) {
			Thread thread = new Thread(() -> run(node), "messages-of-node-" + node + "-" + i);
			thread.setDaemon(true);
			thread.start();
		}
	}

	/**
	 * Return whether no message is under way.
	 */
	boolean isQuiet() {
		return this.underWay.get() == 0;
	}

	private void run(int node) {
		while (!this.nodes.isStopping()) {
			this.underWay.incrementAndGet();
			try {
				// after the increment: whoever ends the phase waits for this message
				Phase phase = this.state.running();
				String url = this.nodes.url(node);
				if (phase != null && url != null) {
					send(node, url, phase);
				}
			}
			finally {
				this.underWay.decrementAndGet();
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
		}
	}

	private void send(int node, String url, Phase phase) {
		String text = "order " + this.orders.incrementAndGet() + " has been shipped";
		try {
			HttpStatusCode status = this.client.post()
				.uri(url + "/accounts/{account}/messages", phase.account())
				.header(Mode.HEADER, phase.mode().name())
				.body(Map.of("customer", "customer", "text", text))
				.exchange((request, response) -> response.getStatusCode());
			if (status.is2xxSuccessful() || status.isSameCodeAs(HttpStatus.BAD_GATEWAY)) {
				this.state.count(node, phase, status.is2xxSuccessful());
			}
			else if (!this.nodes.isStopping()) {
				logger.warn("Node {} has not sent a message: {}", node, status);
			}
		}
		catch (ResourceAccessException ex) {
			// the node was killed; a message that it may not have sent does not count
			logger.debug("Node {} cannot be reached", node, ex);
		}
	}

}
