package io.distributedlock.sample.demonstration;

/**
 * Ends the node, and the servers that the coordinator started, if the coordinator is
 * killed and cannot end them itself.
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
