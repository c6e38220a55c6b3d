package io.distributedlock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import io.distributedlock.LockLostException;

/**
 * What all calls of one template share.
 *
 * @param runtime time and threads
 * @param timers what happens later
 * @param questions asks providers
 * @param gate the queues of this JVM
 * @param waiting the calls that are under way
 * @param keeper renews leases and watches deadlines
 * @param releaser gives leases back
 * @param pollNanos how long to wait for a signal before asking anyway
 * @param commandTimeout how long a command may take
 * @param onLost is told of every loss
 */
record Engine(EngineRuntime runtime, Timers timers, Questions questions, LocalGate gate, WaitingCalls waiting,
		LeaseKeeper keeper, LeaseReleaser releaser, long pollNanos, Duration commandTimeout,
		Optional<Consumer<LockLostException>> onLost) {

	static Engine create(EngineRuntime runtime, LockTemplateBuilder builder) {
		Timers timers = new Timers(runtime);
		Questions questions = new Questions(runtime, timers, builder.commandTimeout);
		LeaseKeeper keeper = new LeaseKeeper(runtime, timers, questions);
		return new Engine(runtime, timers, questions, new LocalGate(), new WaitingCalls(), keeper,
				new LeaseReleaser(runtime, timers, questions, keeper), LockTimes.saturatedNanos(builder.pollInterval),
				LockTimes.saturated(builder.commandTimeout), Optional.ofNullable(builder.lossListener));
	}

	long nanoTime() {
		return this.runtime.nanoTime();
	}

}
