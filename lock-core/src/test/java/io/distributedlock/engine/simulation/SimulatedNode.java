package io.distributedlock.engine.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.simulation.SimulatedWorld.Role;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import org.jspecify.annotations.Nullable;

/**
 * A simulated JVM with a template. It may be paused: what is due in it is held back while
 * the server's time goes on. It may be killed: nothing happens in it any more. It may be
 * closed, as at the end of an application.
 */
final class SimulatedNode {

	private final int id;

	private final SimulatedWorld world;

	private final SimulationSetting setting;

	private final SimulatedRuntime clock;

	private final SimulatedProvider provider;

	private final DefaultLockTemplate template;

	private final Set<SimulatedThread> threads = new LinkedHashSet<>();

	private final List<SimulatedHold> unclosed = new ArrayList<>();

	private long pausedUntil;

	private boolean dead;

	private boolean closing;

	private boolean closed;

	SimulatedNode(int id, SimulatedWorld world, SimulationSetting setting, SimulatedThread.Pool threads,
			SimulatedBackend backend, SimulationChecks checks, SimulatedFaults faults) {
		this.id = id;
		this.world = world;
		this.setting = setting;
		this.clock = new SimulatedRuntime(world, this, threads, faults, setting.clockOffset(), setting.clockFastPpm());
		this.provider = setting.signals()
				? new SimulatedProvider.Signalling(this, backend, checks, faults, setting.exactExpiry())
				: new SimulatedProvider(this, backend, checks, faults, setting.exactExpiry());
		LockTemplateBuilder builder = DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(setting.waitTime())
			.renewalLeaseTime(setting.renewalLeaseTime())
			.commandTimeout(setting.commandTimeout())
			.pollInterval(setting.pollInterval())
			.lockDelay(setting.lockDelay())
			.handOverWindow(setting.handOver().window())
			.handOverLimit(setting.handOver().limit())
			.listener(LockListener.of(LockEvent.Lost.class, (event) -> {
				if (world.role() != Role.CALLBACK) {
					checks.violation(6, "a listener is told on a thread of the library");
				}
				throw new SimulatedFaults.SimulatedException("listener");
			}));
		builder.runtime((executor) -> this.clock);
		this.template = builder.build();
	}

	int id() {
		return this.id;
	}

	SimulatedWorld world() {
		return this.world;
	}

	SimulatedRuntime clock() {
		return this.clock;
	}

	SimulatedProvider provider() {
		return this.provider;
	}

	DefaultLockTemplate template() {
		return this.template;
	}

	long commandTimeout() {
		return LockTimes.saturatedNanos(this.setting.commandTimeout());
	}

	long pollNanos() {
		return this.setting.pollInterval().toNanos();
	}

	boolean isDead() {
		return this.dead;
	}

	boolean isClosing() {
		return this.closing;
	}

	boolean isClosed() {
		return this.closed;
	}

	long pausedUntil() {
		return this.pausedUntil;
	}

	boolean wasPausedWithin(long nanos) {
		return this.pausedUntil > 0 && this.pausedUntil + nanos > this.world.now();
	}

	void pause(long nanos) {
		this.world.note(() -> "paused for %,d us".formatted(nanos / 1000));
		this.pausedUntil = this.world.now() + nanos;
	}

	/**
	 * Run a task on a thread that may block.
	 */
	void onThread(SimulatedThread.Pool pool, Runnable task) {
		boolean[] done = new boolean[1];
		SimulatedThread[] self = new SimulatedThread[1];
		self[0] = pool.run(() -> {
			try {
				task.run();
			}
			catch (SimulatedThread.Killed ex) {
				throw ex;
			}
			catch (Throwable ex) {
				this.world.violation("an exception escaped: " + SimulatedWorld.describe(ex));
			}
			finally {
				done[0] = true;
				this.threads.remove(self[0]);
			}
		});
		if (!done[0]) {
			this.threads.add(self[0]);
		}
	}

	/**
	 * Interrupt one of the threads that stand still.
	 */
	void interrupt(@Nullable SimulatedThread thread) {
		if (thread != null && this.threads.contains(thread)) {
			thread.interrupt();
		}
	}

	int blockedThreads() {
		return this.threads.size();
	}

	/**
	 * Keep what its holder forgets: when the garbage collector finds it is not for a run
	 * that replays.
	 */
	void keep(SimulatedHold hold) {
		this.unclosed.add(hold);
	}

	boolean keepsNothing() {
		return this.unclosed.isEmpty();
	}

	void kill() {
		this.world.note(() -> this + " is killed");
		this.dead = true;
		for (SimulatedThread thread : List.copyOf(this.threads)) {
			thread.kill();
		}
		this.threads.clear();
	}

	/**
	 * Close the template, on a thread of its own.
	 */
	void close(SimulatedThread.Pool pool, SimulationChecks checks, long slack) {
		if (this.closing || this.dead) {
			return;
		}
		this.closing = true;
		this.world.later(0, this, Role.CALLER, "close", () -> onThread(pool, () -> {
			long begun = this.clock.nanoTime();
			this.template.close();
			long took = this.clock.nanoTime() - begun;
			this.closed = true;
			if (took > commandTimeout() + slack && !wasPausedWithin(took)) {
				checks.violation(8, "closing took %,d us".formatted(took / 1000));
			}
		}));
	}

	@Override
	public String toString() {
		return "node" + this.id;
	}

}
