package com.example.warehouse;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;

/**
 * Says which locks the current call has.
 */
final class Locks {

	private Locks() {
	}

	static String current() {
		return LockContext.find().map(LockHandle::key).orElse("none");
	}

}
