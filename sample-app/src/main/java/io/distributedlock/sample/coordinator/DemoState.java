package io.distributedlock.sample.coordinator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.sample.Mode;
import io.distributedlock.sample.NodeCommand;
import io.distributedlock.sample.NodeReport;
import io.distributedlock.sample.wechat.TokenIssuer;

import org.springframework.stereotype.Component;

/**
 * The latest reports of the nodes, the command for them, and the figures of both modes.
 */
@Component
class DemoState {

	private final TokenIssuer issuer;

	private final Map<Long, NodeReport> reportsByPid = new ConcurrentHashMap<>();

	private final Map<Mode, long[]> tokens = new EnumMap<>(Mode.class);

	private final ReentrantLock counting = new ReentrantLock();

	/**
	 * Changed only by the thread that runs the demonstration.
	 */
	private volatile NodeCommand command = new NodeCommand(0, Mode.UNLOCKED, false);

	private long issuedBefore;

	private long replacedBefore;

	DemoState(TokenIssuer issuer) {
		this.issuer = issuer;
		for (Mode mode : Mode.values()) {
			this.tokens.put(mode, new long[2]);
		}
	}

	NodeCommand report(NodeReport report) {
		this.reportsByPid.put(report.pid(), report);
		return this.command;
	}

	NodeCommand command() {
		return this.command;
	}

	void pause() {
		NodeCommand current = this.command;
		this.command = new NodeCommand(current.epoch() + 1, current.mode(), false);
	}

	void run(Mode mode) {
		countTokens();
		// otherwise the first refresh of this mode would replace a token of the
		// other mode, and count as one that was too early
		this.issuer.forget();
		this.command = new NodeCommand(this.command.epoch() + 1, mode, true);
	}

	/**
	 * Return whether a node has followed the last command and has no send under way.
	 */
	boolean isQuiet(int node) {
		return latest(node).filter((report) -> report.epoch() == command().epoch() && report.idle()).isPresent();
	}

	Optional<NodeReport> latest(int node) {
		return this.reportsByPid.values()
			.stream()
			.filter((report) -> report.node() == node)
			.reduce((one,
					other) -> (one.epoch() > other.epoch() || (one.epoch() == other.epoch() && one.pid() > other.pid()))
							? one : other);
	}

	void forget(int node) {
		latest(node).ifPresent((report) -> this.reportsByPid.computeIfPresent(report.pid(),
				(pid, old) -> new NodeReport(-1, old.pid(), old.activity(), old.epoch(), true, old.sentUnlocked(),
						old.failedUnlocked(), old.sentLocked(), old.failedLocked())));
	}

	/**
	 * Return the figures of both modes. They include the counts of nodes that were
	 * killed.
	 */
	List<Figures> figures() {
		countTokens();
		Collection<NodeReport> reports = this.reportsByPid.values();
		List<Figures> figures = new ArrayList<>();
		for (Mode mode : Mode.values()) {
			boolean locked = mode == Mode.LOCKED;
			long[] counted = this.tokens.getOrDefault(mode, new long[2]);
			figures.add(new Figures(mode, counted[0], counted[1],
					reports.stream().mapToLong((each) -> locked ? each.sentLocked() : each.sentUnlocked()).sum(),
					reports.stream().mapToLong((each) -> locked ? each.failedLocked() : each.failedUnlocked()).sum()));
		}
		return figures;
	}

	/**
	 * Add the tokens that were issued since the last time to the figures of the current
	 * mode.
	 */
	private void countTokens() {
		this.counting.lock();
		try {
			long issued = this.issuer.issued();
			long replaced = this.issuer.replacedEarly();
			long[] counted = this.tokens.getOrDefault(command().mode(), new long[2]);
			counted[0] += issued - this.issuedBefore;
			counted[1] += replaced - this.replacedBefore;
			this.issuedBefore = issued;
			this.replacedBefore = replaced;
		}
		finally {
			this.counting.unlock();
		}
	}

	/**
	 * The figures of one mode.
	 *
	 * @param mode the mode
	 * @param tokensIssued how many tokens were issued
	 * @param tokensReplacedEarly how many of them were replaced in the first half of
	 * their lifetime
	 * @param sent messages sent
	 * @param failed messages refused
	 */
	record Figures(Mode mode, long tokensIssued, long tokensReplacedEarly, long sent, long failed) {
	}

}
