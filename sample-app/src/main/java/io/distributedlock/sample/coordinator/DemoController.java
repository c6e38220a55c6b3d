package io.distributedlock.sample.coordinator;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import io.distributedlock.sample.Mode;
import io.distributedlock.sample.NodeCommand;
import io.distributedlock.sample.NodeReport;
import io.distributedlock.sample.NodeReport.Activity;
import org.jspecify.annotations.Nullable;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves the page and takes the reports of the nodes.
 */
@RestController
class DemoController {

	private final DemoState state;

	private final DemoRun run;

	private final NodeProcesses processes;

	private final Set<Integer> killPending = ConcurrentHashMap.newKeySet();

	DemoController(DemoState state, DemoRun run, NodeProcesses processes) {
		this.state = state;
		this.run = run;
		this.processes = processes;
	}

	@PostMapping("/demo/report")
	NodeCommand report(@RequestBody NodeReport report) {
		if (report.activity() == Activity.REFRESHING && this.killPending.remove(report.node())) {
			this.processes.kill(report.node());
			this.state.forget(report.node());
			return this.state.command();
		}
		return this.state.report(report);
	}

	@GetMapping("/demo/state")
	PageState page() {
		NodeCommand command = this.state.command();
		List<PageNode> nodes = IntStream.rangeClosed(1, this.run.nodes()).mapToObj(this::node).toList();
		return new PageState(command.mode(), command.running(), this.run.isAlternating(), nodes, this.state.figures());
	}

	@PostMapping("/demo/mode/{mode}")
	void choose(@PathVariable Mode mode) {
		this.run.choose(mode);
	}

	@PostMapping("/demo/kill/{node}")
	void killInRefresh(@PathVariable int node) {
		this.killPending.add(node);
	}

	private PageNode node(int node) {
		NodeReport report = this.state.latest(node).orElse(null);
		boolean up = this.processes.isAlive(node) && report != null;
		return new PageNode(node, up, this.killPending.contains(node), up ? report : null);
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
	 * @param up whether it runs
	 * @param killPending whether it will be killed during its next refresh
	 * @param report its last report
	 */
	record PageNode(int node, boolean up, boolean killPending, @Nullable NodeReport report) {
	}

}
