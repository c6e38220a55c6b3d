package io.distributedlock.sample.demonstration;

import java.util.Map;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.web.client.RestClient;

/**
 * Tells the coordinator the port of this node.
 */
class CoordinatorLink {

	private final Environment environment;

	CoordinatorLink(Environment environment) {
		this.environment = environment;
	}

	@EventListener(ApplicationReadyEvent.class)
	void report() {
		String port = this.environment.getRequiredProperty("local.server.port");
		warmUp(port);
		RestClient.create(this.environment.getRequiredProperty("demo.coordinator"))
			.post()
			.uri("/demo/nodes/{pid}/{port}", ProcessHandle.current().pid(), port)
			.retrieve()
			.toBodilessEntity();
	}

	/**
	 * Send one message that does not count, because the first send of a JVM is slow. So
	 * it does not matter whether it is accepted.
	 */
	private static void warmUp(String port) {
		RestClient.create("http://127.0.0.1:" + port)
			.post()
			.uri("/accounts/warm-up/messages")
			.body(Map.of("customer", "nobody", "text", "warming up"))
			.exchange((request, response) -> response.getStatusCode());
	}

}
