package io.distributedlock.sample.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockException;
import io.distributedlock.sample.Mode;
import io.distributedlock.sample.NodeCommand;
import io.distributedlock.sample.NodeReport.Activity;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClientException;

/**
 * Sends messages about orders to customers, on several threads.
 */
@Component
@EnableScheduling
class MessageSender implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(MessageSender.class);

	private static final String APP_ID = "wx-demo";

	private static final int THREADS = 3;

	private static final long PAUSE_MILLIS = 30;

	private static final long STOP_MILLIS = 1000;

	private final TokenCache cache;

	private final TokenRefresher refresher;

	private final WeChatClient weChat;

	private final Coordinator coordinator;

	private final AtomicLong orders = new AtomicLong();

	private final List<Thread> threads = new ArrayList<>();

	private volatile @Nullable Known known;

	private volatile boolean running;

	MessageSender(TokenCache cache, TokenRefresher refresher, WeChatClient weChat, Coordinator coordinator) {
		this.cache = cache;
		this.refresher = refresher;
		this.weChat = weChat;
		this.coordinator = coordinator;
	}

	@Override
	public void start() {
		warmUp();
		this.running = true;
		for (int i = 0; i < THREADS; i++) {
			Thread thread = new Thread(this::run, "sender-" + i);
			thread.start();
			this.threads.add(thread);
		}
	}

	@Override
	public void stop() {
		this.running = false;
		for (Thread thread : this.threads) {
			try {
				thread.join(STOP_MILLIS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Send one message that does not count, because the first send of a JVM is slow.
	 */
	private void warmUp() {
		this.cache.read(-1);
		this.weChat.send(new AccessToken("none", 0), "warming up");
	}

	private void run() {
		while (this.running) {
			NodeCommand command = this.coordinator.command();
			if (command.running()) {
				this.coordinator.begin();
				try {
					// not if the command has changed: the coordinator may not have
					// seen this send as under way
					if (this.coordinator.command().equals(command)) {
						send(command);
					}
				}
				catch (LockException | RestClientException | DataAccessException ex) {
					logger.atLevel(this.running ? Level.WARN : Level.DEBUG).log("Not sent: {}", ex.getMessage());
				}
				finally {
					this.coordinator.end();
				}
			}
			else {
				this.coordinator.doing(Activity.PAUSED);
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
		}
	}

	private void send(NodeCommand command) {
		AccessToken token = token(command);
		this.coordinator.doing(Activity.SENDING);
		boolean accepted = this.weChat.send(token, "order " + this.orders.incrementAndGet() + " has been shipped");
		this.coordinator.count(command.mode(), accepted);
		if (!accepted) {
			this.known = new Known(command.epoch(), refresh(command, token, true));
		}
	}

	/**
	 * Return the token that this node knows, the one that the nodes share, or a new one.
	 */
	private AccessToken token(NodeCommand command) {
		Known mine = this.known;
		if (mine != null && mine.epoch() == command.epoch() && mine.token().isUsable()) {
			return mine.token();
		}
		Optional<AccessToken> shared = this.cache.read(command.epoch());
		AccessToken token = shared.filter(AccessToken::isUsable)
			.orElseGet(() -> refresh(command, shared.orElse(null), false));
		this.known = new Known(command.epoch(), token);
		return token;
	}

	private AccessToken refresh(NodeCommand command, @Nullable AccessToken seen, boolean refused) {
		this.coordinator.doing(Activity.WAITING_TO_REFRESH);
		return (command.mode() == Mode.LOCKED) ? this.refresher.refreshUnderLock(APP_ID, command.epoch(), seen, refused)
				: this.refresher.refreshOnEachNode(APP_ID, command.epoch(), seen, refused);
	}

	/**
	 * The token that this node used last.
	 *
	 * @param epoch the epoch in which it was fetched
	 * @param token the token
	 */
	private record Known(int epoch, AccessToken token) {
	}

}
