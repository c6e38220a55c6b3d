package io.distributedlock.engine.simulation;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.engine.simulation.SimulatedWorld.Role;
import org.jspecify.annotations.Nullable;

/**
 * One run of the engine on simulated nodes over one simulated server: everything in it
 * follows from the seed.
 */
final class Simulation {

	private static final long LONGEST_RUN = SimulatedFaults.millis(120_000);

	/**
	 * What still goes on when every caller is done: leases that run, answers that are
	 * late, owners that are removed.
	 */
	private static final long AFTERMATH = SimulatedFaults.millis(30_000);

	/**
	 * In runs whose seed has this bit, locks are handed over.
	 */
	static final long HANDS_OVER = 1L << 60;

	/**
	 * In runs whose seed has this bit, all lock types have a queue.
	 */
	static final long QUEUES = 1L << 61;

	/**
	 * In runs whose seed has this bit, many calls that end soon ask for the same keys.
	 */
	static final long STORMS = 1L << 62;

	private final long seed;

	private final SimulatedThread.Pool threads;

	private final SimulatedWorld world;

	private final SimulatedFaults faults;

	private final SimulationSetting setting;

	private final SimulationChecks checks;

	private final SimulatedBackend backend;

	private final List<SimulatedNode> nodes = new ArrayList<>();

	private final SimulatedCaller.SimulatedQuota quota;

	private final List<SimulatedCaller> callers = new ArrayList<>();

	Simulation(long seed, SimulatedThread.Pool threads, boolean tracing) {
		this.seed = seed;
		this.threads = threads;
		this.world = new SimulatedWorld(seed, tracing);
		this.setting = SimulationSetting.draw(this.world, seed < 0, (Math.abs(seed) & HANDS_OVER) != 0,
				(Math.abs(seed) & QUEUES) != 0, (Math.abs(seed) & STORMS) != 0);
		this.quota = new SimulatedCaller.SimulatedQuota(this.setting.calls());
		this.faults = new SimulatedFaults(this.world, this.setting.calm(), this.setting.crowd());
		this.checks = new SimulationChecks(this.world, this.faults);
		this.backend = new SimulatedBackend(this.world, this.checks, this.setting);
		for (int i = 1; i <= this.setting.nodes(); i++) {
			this.nodes
				.add(new SimulatedNode(i, this.world, this.setting, threads, this.backend, this.checks, this.faults));
		}
		this.checks.watch(this.backend, this.nodes, this.setting.lockDelay().toMillis());
	}

	/**
	 * Run until every call has ended and nothing is left.
	 */
	Result run() {
		try {
			startCallers();
			planMishaps();
			run(LONGEST_RUN);
			this.faults.heal();
			this.quota.stop();
			run(AFTERMATH);
			finish();
		}
		catch (Throwable ex) {
			this.world.violation("the run ended with " + SimulatedWorld.describe(ex));
		}
		finally {
			this.nodes.forEach(SimulatedNode::kill);
		}
		return new Result(this.seed, this.checks.begun(), this.world.happened(), this.world.trace(),
				this.world.violations(), this.world.lines());
	}

	/**
	 * Let things happen until every caller is done, and then until nothing happens.
	 */
	private void run(long longest) {
		long end = goesOnAt() + longest;
		boolean more = true;
		while (more && this.world.now() < end && this.world.violations().isEmpty()) {
			boolean done = this.callers.stream().allMatch(SimulatedCaller::isFinished);
			more = this.world.runUntil(this.world.now() + SimulatedFaults.millis(1000))
					&& (longest == AFTERMATH || !done);
			if (longest == AFTERMATH && goesOnAt() > this.world.now()) {
				// one pause may begin at the end of another
				end = goesOnAt() + AFTERMATH;
			}
		}
	}

	private void startCallers() {
		for (int i = 0; i < this.setting.callers(); i++) {
			SimulatedNode node = this.nodes.get(i % this.nodes.size());
			boolean blocks = !this.setting.crowd() && this.world.chance(300);
			SimulatedCaller caller = blocks
					? new SimulatedBlockingCaller(node, this.faults, this.checks, this.setting, this.quota)
					: new SimulatedAsyncCaller(node, this.faults, this.checks, this.setting, this.quota);
			this.callers.add(caller);
			caller.start(this.threads);
		}
	}

	/**
	 * Draw when nodes are paused, cut off, killed and closed.
	 */
	private void planMishaps() {
		long span = this.setting.calls() * 30_000_000L / this.setting.callers();
		for (int i = 0; i < this.faults.attemptTimers(); i++) {
			SimulatedNode node = anyNode();
			this.world.later(this.world.random(span), node, Role.OUTSIDE, "pause",
					() -> node.pause(this.world.random(3 * this.setting.renewalLeaseTime().toNanos())));
		}
		for (int i = 0; i < this.faults.cuts(); i++) {
			SimulatedNode node = anyNode();
			this.world.later(this.world.random(span), null, Role.OUTSIDE, "cut",
					() -> node.provider()
						.link()
						.cutOff(this.world.random(2 * this.setting.renewalLeaseTime().toNanos())));
		}
		for (int i = 0; i < this.faults.kills(); i++) {
			SimulatedNode node = anyNode();
			this.world.later(this.world.random(span), null, Role.OUTSIDE, "kill", node::kill);
		}
		for (int i = 0; i < this.faults.closes(); i++) {
			SimulatedNode node = anyNode();
			this.world.later(this.world.random(span), node, Role.OUTSIDE, "close",
					() -> node.close(this.threads, this.checks, this.faults.slack()));
		}
	}

	/**
	 * Return from when on no node is paused.
	 */
	private long goesOnAt() {
		return this.nodes.stream().mapToLong(SimulatedNode::pausedUntil).reduce(this.world.now(), Math::max);
	}

	private SimulatedNode anyNode() {
		return this.nodes.get((int) this.world.random(this.nodes.size()));
	}

	private void finish() {
		if (!this.world.violations().isEmpty()) {
			return;
		}
		boolean done = this.callers.stream().allMatch(SimulatedCaller::isFinished);
		for (SimulatedNode node : this.nodes) {
			if (done && !node.isDead() && !node.isClosing() && node.keepsNothing()) {
				this.checks.nothingIsLeft(node);
			}
			node.close(this.threads, this.checks, this.faults.slack());
		}
		this.world.runUntil(goesOnAt() + AFTERMATH);
		for (SimulatedNode node : this.nodes) {
			if (!node.isDead()) {
				this.checks.nothingIsLeft(node);
				if (node.blockedThreads() > 0) {
					this.checks.violation(8, node.blockedThreads() + " threads wait for ever on " + node);
				}
			}
		}
		this.checks.serverIsEmpty();
		if (this.setting.crowd() && !this.setting.queuesAll()) {
			this.checks.asksLittle();
		}
	}

	/**
	 * What came of a run.
	 */
	record Result(long seed, int calls, long events, long trace, List<String> violations, List<String> lines) {

		@Nullable String failure() {
			return this.violations.isEmpty() ? null : "seed %s: %s".formatted(this.seed, this.violations);
		}

	}

}
