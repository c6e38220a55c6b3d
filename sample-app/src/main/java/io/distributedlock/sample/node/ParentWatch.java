package io.distributedlock.sample.node;

/**
 * Ends the node, and the servers that were started for it, when the coordinator is gone
 * without having said so.
 */
final class ParentWatch {

	private ParentWatch() {
	}

	static void endWithParent() {
		ProcessHandle.current().parent().ifPresent((parent) -> parent.onExit().thenRun(() -> {
			for (String pid : System.getProperty("demo.server-pids", "").split(",", -1)) {
				if (!pid.isEmpty()) {
					ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroy);
				}
			}
			Runtime.getRuntime().halt(1);
		}));
	}

}
