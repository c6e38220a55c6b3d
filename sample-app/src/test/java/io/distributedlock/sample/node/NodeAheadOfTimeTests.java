package io.distributedlock.sample.node;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.sample.wechat.TokenIssuer;
import io.distributedlock.test.process.ChildJvm;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.patience.Patience.await;

/**
 * Runs the node with what Spring AOT has generated for it in the build, beside a node as
 * it is.
 */
@EnabledIfSystemProperty(named = "lock.test.one-generation", matches = "false")
@Timeout(300)
class NodeAheadOfTimeTests {

	@Test
	void tokenIsFetchedUnderTheLock() throws Exception {
		try (RedisTestServer redis = RedisTestServer.run();
				ConfigurableApplicationContext api = new SpringApplicationBuilder(NodeApplicationTests.Api.class)
					.run("--server.port=0", "--lock.enabled=false");
				ConfigurableApplicationContext ordinary = new SpringApplicationBuilder(NodeApplication.class)
					.run(arguments(api, redis));
				ChildJvm node = ChildJvm.start(List.of("-Dspring.aot.enabled=true"), NodeApplication.class,
						arguments(api, redis))) {
			RestClient client = RestClient.create("http://127.0.0.1:" + port(node));
			assertThat(node.lines()).anyMatch((line) -> line.startsWith("Starting AOT-processed NodeApplication"));
			assertThat(waiting(client)).isEmpty();
			CompletableFuture<HttpStatusCode> send;
			try (LockHandle held = ordinary.getBean(LockTemplate.class)
				.acquire(LockRequest.of("account").withName("wechat-token"))) {
				send = CompletableFuture.supplyAsync(() -> send(client));
				await().until(() -> waiting(client), (calls) -> calls.size() == 1);
				held.ensureHeld();
				assertThat(api.getBean(TokenIssuer.class).issued("account")).isZero();
			}
			assertThat(send.get().value()).isEqualTo(200);
			assertThat(api.getBean(TokenIssuer.class).issued("account")).isEqualTo(1);
		}
	}

	private static String[] arguments(ConfigurableApplicationContext api, RedisTestServer redis) {
		return new String[] { "--server.port=0",
				"--wechat.url=http://127.0.0.1:" + api.getEnvironment().getProperty("local.server.port"),
				"--wechat.secret=s", "--spring.http.clients.read-timeout=30s", "--lock.command-timeout=30s",
				"--spring.data.redis.port=" + redis.port(), "--logging.pattern.console=%msg%n" };
	}

	private static String port(ChildJvm node) {
		String beginning = "Tomcat started on port ";
		return node.awaitLine(beginning).substring(beginning.length()).split(" ", 2)[0];
	}

	private static HttpStatusCode send(RestClient client) {
		return client.post()
			.uri("/accounts/account/messages")
			.body(Map.of("customer", "c", "text", "t"))
			.exchange((request, response) -> response.getStatusCode());
	}

	private static List<?> waiting(RestClient client) {
		return (List<?>) client.get()
			.uri("/actuator/locks")
			.retrieve()
			.body(new ParameterizedTypeReference<Map<String, Object>>() {
			})
			.get("waiting");
	}

}
