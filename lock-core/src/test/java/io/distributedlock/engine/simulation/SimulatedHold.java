package io.distributedlock.engine.simulation;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;

/**
 * What one caller has: a handle, from when it got it until it began to close it.
 */
final class SimulatedHold {

	final SimulatedCall call;

	final LockHandle handle;

	final List<Part> parts = new ArrayList<>();

	/**
	 * Whether its holder has begun to close it.
	 */
	boolean closing;

	/**
	 * Whether it asked to be told of a loss.
	 */
	boolean listens;

	/**
	 * How often it was told of a loss.
	 */
	int told;

	SimulatedHold(SimulatedCall call, LockHandle handle) {
		this.call = call;
		this.handle = handle;
	}

	/**
	 * Note that its holder asks for another length.
	 */
	void extended() {
		this.parts.forEach((part) -> part.lease().altered = true);
	}

	SimulatedNode node() {
		return this.call.node;
	}

	@Override
	public String toString() {
		return "hold of " + this.call;
	}

	/**
	 * One of the locks that were had together.
	 */
	record Part(SimulatedHold hold, LockHandle handle, SimulatedLease lease) {

		/**
		 * Return what its holder asked for, which may be less than what the owner has.
		 */
		LockType type() {
			return this.hold.call.parts()
				.stream()
				.filter((part) -> SimulationChecks.backendKeyOf(part).equals(this.lease.backendKey()))
				.map(LockRequest::type)
				.filter((type) -> type != LockType.READ)
				.findFirst()
				.orElse(LockType.READ);
		}

		/**
		 * Return the fencing token: each who has the lease has one of its own.
		 */
		long token() {
			return this.handle.fencingToken().orElse(-1);
		}

		boolean isValid() {
			return !this.hold.closing && !this.hold.node().isDead() && this.handle.isValid();
		}

	}

}
