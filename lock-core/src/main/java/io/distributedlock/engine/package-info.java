/**
 * The engine: what all providers share. It acquires, renews, extends and releases locks,
 * whatever the backend. Only {@link io.distributedlock.engine.DefaultLockTemplate}, its
 * builder and {@link io.distributedlock.engine.Backends} are for users.
 * <p>
 * Its rooms, each of which uses only those below it:
 *
 * <pre>
 * engine             DefaultLockTemplate makes all parts and takes the calls of the user;
 *                    LockAttempts fills in the defaults of a request
 * internal.monitor   what is held and who waits, for displays (Activities); warns of long
 *                    holds, and of threads that wait for each other (HeldLockMonitor, Deadlocks)
 * internal.acquire   re-entry, a blocked thread or a future (Acquirer); several locks, one
 *                    after the other (MultiLockAcquisition)
 * internal.handle    what the user closes (SingleHandle, MultiHandle), and how (HandleReleases);
 *                    what was forgotten (HandleLeaks)
 * internal.key       one call for one lock (Acquisition): its Turn in the line of a KeyLock,
 *                    one attempt after the other (AttemptLoop) or a QueuedPlace, and the
 *                    AcquisitionOutcome; all calls (CallsUnderWay), providers that are down
 *                    (OutageWatch)
 * internal.lease     a hold, from the grant to release or loss (HeldLock); renewals and
 *                    deadlines (LeaseKeeper, LeaseClock), Extension, LeaseReleaser, and the
 *                    HandOver to the next call of this JVM
 * internal.event     what LockListeners and LockObservers are told, and the log
 * internal.request   a request with all defaults (LockAttempt), keys, errors; what grants
 *                    locks that are switched off (UnlockedProvider)
 * internal.runtime   clock and threads (EngineRuntime), Timers, ProviderCalls to providers with
 *                    one answer each within the command time-out
 * </pre>
 *
 * Threads: the caller's thread, or the thread of the provider's client that brings an
 * answer, runs the steps of an acquisition. The timer thread ({@code lock-timer}) calls
 * neither providers nor code of the user. Threads of the engine ({@code lock-engine})
 * call providers when a timer is due. Threads for callbacks ({@code lock-callback}), or
 * the executor of the user, run code of the user. No step waits for another one on a
 * thread; a step whose failure must not stop the next runs in a guard, and one that would
 * nest on a trampoline.
 * <p>
 * Covered by {@code RequestOptionsTests} and {@code ClosingTests}.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
