package io.distributedlock.sample.node;

/**
 * Ends the node, and the Redis that was started for it, when the coordinator is gone
 * without having said so.
 */
final class ParentWatch {

	private ParentWatch() {
	}

	static void endWithParent() {
		ProcessHandle.current().parent().ifPresent((parent) -> parent.onExit().thenRun(() -> {
			Long redis = Long.getLong("demo.redis-pid");
			if (redis != null) {
				ProcessHandle.of(redis).ifPresent(ProcessHandle::destroy);
			}
			Runtime.getRuntime().halt(1);
		}));
	}

}
