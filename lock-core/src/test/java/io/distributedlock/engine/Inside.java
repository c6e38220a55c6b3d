package io.distributedlock.engine;

import io.distributedlock.engine.internal.key.Engine;

/**
 * What tests in the rooms of the engine see of a template.
 */
public final class Inside {

	private Inside() {
	}

	public static Engine of(DefaultLockTemplate template) {
		return template.engine();
	}

}
