package io.distributedlock.sample.coordinator;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import io.distributedlock.sample.Mode;
import io.distributedlock.sample.wechat.TokenIssuer;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * The phases, and the figures of both modes.
 */
@Component
class DemoState {

	private final TokenIssuer issuer;

	private final List<Phase> phases = new CopyOnWriteArrayList<>();

	private final Map<Mode, MessageCounts> ofModes = new ConcurrentHashMap<>();

	private final Map<Integer, MessageCounts> ofNodes = new ConcurrentHashMap<>();

	private volatile @Nullable Phase running;

	DemoState(TokenIssuer issuer) {
		this.issuer = issuer;
	}

	/**
	 * Return the phase in which messages are sent, if they are.
	 */
	@Nullable Phase running() {
		return this.running;
	}

	Mode mode() {
		return this.phases.isEmpty() ? Mode.UNLOCKED : this.phases.get(this.phases.size() - 1).mode();
	}

	void pause() {
		this.running = null;
	}

	void begin(Mode mode) {
		Phase phase = new Phase(this.phases.size() + 1, mode);
		this.phases.add(phase);
		this.running = phase;
	}

	void count(int node, Phase phase, boolean accepted) {
		ofMode(phase.mode()).count(accepted);
		ofNode(node).count(accepted);
	}

	MessageCounts ofNode(int node) {
		return this.ofNodes.computeIfAbsent(node, (added) -> new MessageCounts());
	}

	/**
	 * Return the figures of both modes.
	 */
	List<Figures> figures() {
		return Stream.of(Mode.values())
			.map((mode) -> new Figures(mode, tokens(mode, this.issuer::issued),
					tokens(mode, this.issuer::replacedEarly), ofMode(mode).sent(), ofMode(mode).refused()))
			.toList();
	}

	private MessageCounts ofMode(Mode mode) {
		return this.ofModes.computeIfAbsent(mode, (added) -> new MessageCounts());
	}

	private long tokens(Mode mode, ToLongFunction<String> count) {
		return this.phases.stream().filter((phase) -> phase.mode() == mode).map(Phase::account).mapToLong(count).sum();
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
