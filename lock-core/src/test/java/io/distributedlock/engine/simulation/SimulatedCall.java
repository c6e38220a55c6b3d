package io.distributedlock.engine.simulation;

import java.util.List;

import io.distributedlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * One call of a template, and what the checks note about it.
 */
final class SimulatedCall {

	final int id;

	final SimulatedNode node;

	final LockRequest request;

	final String how;

	final long begunAt;

	/**
	 * How long it may take at most, without the time that threads are late.
	 */
	final long longestNanos;

	/**
	 * Whether its caller has the result, or has given up.
	 */
	boolean over;

	long endedAt;

	/**
	 * Whether its caller was interrupted, or has ended the future itself.
	 */
	boolean disturbed;

	/**
	 * How often the backend was asked.
	 */
	int asked;

	/**
	 * How often the backend said that others have it.
	 */
	int contended;

	int bodies;

	SimulatedCall(int id, SimulatedNode node, LockRequest request, String how, long begunAt, long longestNanos) {
		this.id = id;
		this.node = node;
		this.request = request;
		this.how = how;
		this.begunAt = begunAt;
		this.longestNanos = longestNanos;
	}

	/**
	 * Return the length of its leases, which no other call of the run has.
	 * @return the milliseconds, zero if the call asks for none
	 */
	long leaseMillis() {
		return (this.request.leaseTime() != null) ? this.request.leaseTime().toMillis() : 0;
	}

	boolean waits() {
		return this.request.waitTime() == null || !this.request.waitTime().isZero();
	}

	List<LockRequest> parts() {
		return this.request.parts();
	}

	@Nullable String text() {
		return "%s #%s of %s".formatted(this.how, this.id, this.request);
	}

	@Override
	public String toString() {
		return this.how + " #" + this.id;
	}

}
