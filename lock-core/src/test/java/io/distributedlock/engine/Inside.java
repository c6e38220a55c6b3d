package io.distributedlock.engine;

import io.distributedlock.engine.internal.key.Engine;
import io.distributedlock.engine.internal.runtime.EngineRuntime;

/**
 * What tests in the rooms of the engine see of a template and its builder.
 */
public final class Inside {

	private Inside() {
	}

	public static Engine of(DefaultLockTemplate template) {
		return template.engine();
	}

	/**
	 * Replace time and threads of a template.
	 */
	public static void setRuntime(LockTemplateBuilder builder, EngineRuntime runtime) {
		builder.runtime = runtime;
	}

}
