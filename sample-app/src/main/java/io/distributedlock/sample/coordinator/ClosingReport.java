package io.distributedlock.sample.coordinator;

import java.util.List;

import io.distributedlock.sample.Mode;
import io.distributedlock.sample.coordinator.DemoState.Figures;

import org.springframework.stereotype.Component;

/**
 * What is said in the terminal.
 */
@Component
@SuppressWarnings("SystemOut")
class ClosingReport {

	private final Backend backend;

	ClosingReport(Backend backend) {
		this.backend = backend;
	}

	void start(int port) {
		say("Locks: " + this.backend.description());
		say("Simulated WeChat API: http://localhost:%d/cgi-bin/... (two hours of a token pass in four seconds)"
			.formatted(port));
		say("Starting the nodes ...");
	}

	void say(String text) {
		System.out.println("[demo] " + text);
	}

	void print(List<Figures> figures) {
		StringBuilder table = new StringBuilder("\n");
		table.append("                     tokens   killed       messages   messages\n");
		table.append("                     issued   while young  sent       refused\n");
		table.append("  -----------------------------------------------------------\n");
		for (Figures each : figures) {
			table.append("  %-17s %8d %12d %10d %10d%n".formatted(
					(each.mode() == Mode.LOCKED) ? "with the lock" : "without the lock", each.tokensIssued(),
					each.tokensKilledYoung(), each.sent(), each.failed()));
		}
		System.out.println(table);
	}

	/**
	 * Return whether no message failed with the lock, and some did without.
	 */
	static boolean isAsPromised(List<Figures> figures) {
		return figures.stream()
			.allMatch((each) -> each.sent() > 0 && ((each.mode() == Mode.LOCKED) == (each.failed() == 0)));
	}

}
