package io.distributedlock.sample.node;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

import io.distributedlock.sample.Mode;
import io.distributedlock.sample.NodeCommand;
import io.distributedlock.sample.NodeReport;
import io.distributedlock.sample.NodeReport.Activity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/**
 * Reports to the coordinator what this node does, and receives its commands.
 */
@Component
class Coordinator {

	private static final Logger logger = LoggerFactory.getLogger(Coordinator.class);

	private final RestClient client;

	private final int node;

	private final LongAdder sentUnlocked = new LongAdder();

	private final LongAdder failedUnlocked = new LongAdder();

	private final LongAdder sentLocked = new LongAdder();

	private final LongAdder failedLocked = new LongAdder();

	private final AtomicInteger underWay = new AtomicInteger();

	private volatile Activity activity = Activity.PAUSED;

	private volatile NodeCommand command = new NodeCommand(0, Mode.UNLOCKED, false);

	Coordinator(@Value("${demo.coordinator}") String baseUrl, @Value("${demo.node}") int node) {
		this.client = RestClient.create(baseUrl);
		this.node = node;
	}

	NodeCommand command() {
		return this.command;
	}

	void begin() {
		this.underWay.incrementAndGet();
	}

	void end() {
		this.underWay.decrementAndGet();
	}

	void count(Mode mode, boolean accepted) {
		LongAdder counter = (mode == Mode.LOCKED) ? (accepted ? this.sentLocked : this.failedLocked)
				: (accepted ? this.sentUnlocked : this.failedUnlocked);
		counter.increment();
	}

	void doing(Activity current) {
		this.activity = current;
	}

	void report(Activity current) {
		this.activity = current;
		report();
	}

	@Scheduled(fixedDelay = 150)
	void report() {
		NodeCommand followed = this.command;
		NodeReport report = new NodeReport(this.node, ProcessHandle.current().pid(), this.activity, followed.epoch(),
				this.underWay.get() == 0, this.sentUnlocked.sum(), this.failedUnlocked.sum(), this.sentLocked.sum(),
				this.failedLocked.sum());
		try {
			this.command = Objects
				.requireNonNull(this.client.post().uri("/demo/report").body(report).retrieve().body(NodeCommand.class));
		}
		catch (ResourceAccessException ex) {
			// the coordinator has ended, and ParentWatch ends this node too
			logger.debug("The coordinator cannot be reached", ex);
		}
	}

}
