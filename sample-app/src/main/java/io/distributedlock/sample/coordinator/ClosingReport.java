package io.distributedlock.sample.coordinator;

import java.util.List;

import io.distributedlock.sample.Mode;
import io.distributedlock.sample.coordinator.DemoState.Figures;

import org.springframework.stereotype.Component;

/**
 * Prints the progress and the result of the demonstration to the terminal.
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
		say("Simulated WeChat API: http://localhost:%s/cgi-bin/... (the two hours of a token take four seconds)"
			.formatted(port));
		say("Starting the nodes ...");
	}

	void say(String text) {
		System.out.println("[demo] " + text);
	}

	void print(List<Figures> figures) {
		StringBuilder table = new StringBuilder("\n");
		table.append("                     tokens   replaced     messages   messages\n");
		table.append("                     issued   too early    sent       refused\n");
		table.append("  -----------------------------------------------------------\n");
		for (Figures each : figures) {
			table.append("  %-17s %8s %12s %10s %10s%n".formatted(
					(each.mode() == Mode.LOCKED) ? "with the lock" : "without the lock", each.tokensIssued(),
					each.tokensReplacedEarly(), each.sent(), each.failed()));
		}
		System.out.println(table);
	}

	/**
	 * Return whether no message was refused with the lock, and some were without it.
	 */
	static boolean isAsExpected(List<Figures> figures) {
		return figures.stream()
			.allMatch((each) -> each.sent() > 0 && ((each.mode() == Mode.LOCKED) == (each.failed() == 0)));
	}

}
