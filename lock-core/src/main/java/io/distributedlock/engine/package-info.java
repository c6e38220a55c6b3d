/**
 * The engine: what all providers share. It acquires, renews, extends and releases locks,
 * whatever the backend. Only {@link io.distributedlock.engine.DefaultLockTemplate} and
 * its builder are for users.
 * <p>
 * Who calls whom, from the call of the user to the provider and back:
 *
 * <pre>
 * DefaultLockTemplate     the calls of the user
 *   LockAttempts          request + defaults = LockAttempt for each lock, or refused
 *   Acquirer              re-entry, a blocked thread or a future
 *     AllOrNone           several locks: one Acquisition after the other
 *     Acquisition         one call for one lock; ends with an AcquisitionOutcome
 *       LocalGate, Turn   one call per key of this JVM at a time
 *       Asking            attempts at the backend, and when to ask again
 *       Questions         each call of a provider: one answer within the command time-out
 *       QueuedPlace       a place in the queue of the backend
 *       WaitingCalls      all calls under way, and the limit of waiters
 *   HeldLock              a hold, from the grant to release or loss
 *     HoldState           held, released or lost; callbacks for a loss
 *     Holders             re-entrant holders
 *     LeaseClock          deadline and renewal times, by OpenRequests what is sure of them
 *     TermRequests        the order of renewals and extensions
 *     UnreleasedHandles   finds holds that nobody will release
 *   LeaseKeeper           renews in batches, watches deadlines
 *     HoldReview          warns of long holds, and of threads that wait for each other (Deadlocks)
 *   Extension             another term on the holder's demand
 *   SingleHandle, MultiHandle   what the user closes; HandleLeaks finds what was forgotten
 *     Exits               the last holder releases
 *       LeaseReleaser     releases, with retries
 *   Listeners             tells LockListeners what happens, and the log (LockStory)
 *   Observers             an ObservedCall tells LockObservers of one call, on its caller's thread
 *   Callbacks             runs code of the user with the context of its caller
 *   Activities            what is held and who waits, for displays
 * </pre>
 *
 * Threads: the caller's thread, or the thread of the provider's client that brings an
 * answer, runs the steps of an acquisition. The timer thread ({@code lock-timer}) runs
 * {@link io.distributedlock.engine.Timers} and calls neither providers nor code of the
 * user. Threads of the engine ({@code lock-engine}) call providers when a timer is due.
 * Threads for callbacks ({@code lock-callback}), or the executor of the user, run code of
 * the user. {@link io.distributedlock.engine.EngineRuntime} is all that the engine needs
 * of the JVM. No step waits for another one on a thread; a step whose failure must not
 * stop the next runs in {@link io.distributedlock.engine.Guard}, and one that would nest
 * in {@link io.distributedlock.engine.Trampoline}.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
