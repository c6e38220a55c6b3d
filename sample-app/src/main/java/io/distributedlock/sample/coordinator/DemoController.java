package io.distributedlock.sample.coordinator;

import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.sample.Mode;
import io.distributedlock.sample.coordinator.NodeMonitor.Activity;
import org.jspecify.annotations.Nullable;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves the page, and learns when a node is ready.
 */
@RestController
class DemoController {

	private final DemoState state;

	private final DemoRun run;

	private final NodeProcesses processes;

	private final NodeMonitor monitor;

	private final NodeKiller killer;

	DemoController(DemoState state, DemoRun run, NodeProcesses processes, NodeMonitor monitor, NodeKiller killer) {
		this.state = state;
		this.run = run;
		this.processes = processes;
		this.monitor = monitor;
		this.killer = killer;
	}

	@PostMapping("/demo/nodes/{pid}/{port}")
	void ready(@PathVariable long pid, @PathVariable int port) {
		this.processes.ready(pid, port);
	}

	@GetMapping("/demo/state")
	PageState page() {
		this.monitor.watched();
		List<PageNode> nodes = IntStream.rangeClosed(1, this.run.nodes()).mapToObj(this::node).toList();
		return new PageState(this.state.mode(), this.state.running() != null, this.run.isAlternating(), nodes,
				this.state.figures());
	}

	@PostMapping("/demo/mode/{mode}")
	void choose(@PathVariable Mode mode) {
		this.run.choose(mode);
	}

	@PostMapping("/demo/kill/{node}")
	void killInRefresh(@PathVariable int node) {
		this.killer.killInRefresh(node);
	}

	private PageNode node(int node) {
		MessageCounts counts = this.state.ofNode(node);
		return new PageNode(node, this.processes.pid(node), this.processes.url(node), this.monitor.activity(node),
				this.killer.isPending(node), counts.sent(), counts.refused(), this.monitor.figures(node));
	}

	/**
	 * What the page shows.
	 *
	 * @param mode how the nodes refresh
	 * @param running whether the nodes send
	 * @param alternating whether the mode changes automatically
	 * @param nodes the nodes
	 * @param figures the figures of both modes
	 */
	record PageState(Mode mode, boolean running, boolean alternating, List<PageNode> nodes,
			List<DemoState.Figures> figures) {
	}

	/**
	 * What the page shows of a node.
	 *
	 * @param node its number
	 * @param pid its process id
	 * @param url its address, if it is ready
	 * @param activity what it does
	 * @param killPending whether it will be killed during its next refresh
	 * @param sent messages sent
	 * @param refused messages refused
	 * @param locks what its meters say about its locks
	 */
	record PageNode(int node, long pid, @Nullable String url, Activity activity, boolean killPending, long sent,
			long refused, @Nullable LockFigures locks) {
	}

}
