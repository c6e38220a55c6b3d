package io.distributedlock.sample.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.distributedlock.sample.wechat.TokenIssuer;
import io.distributedlock.sample.wechat.WeChatApi;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs two instances of the node as it is, without the demonstration.
 */
class NodeApplicationTests {

	private static RedisTestServer redis;

	private static ConfigurableApplicationContext api;

	private static List<ConfigurableApplicationContext> nodes;

	@BeforeAll
	static void start() {
		redis = RedisTestServer.run();
		api = new SpringApplicationBuilder(Api.class).run("--server.port=0", "--lock.enabled=false");
		nodes = Stream.generate(NodeApplicationTests::node).limit(2).toList();
	}

	@AfterAll
	static void stop() {
		nodes.forEach(ConfigurableApplicationContext::close);
		api.close();
		redis.close();
	}

	@Test
	void instancesThatNeedATokenAtTheSameTimeFetchOne() throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(6);
		try {
			List<Future<HttpStatusCode>> sends = Stream.iterate(0, (i) -> i + 1)
				.limit(6)
				.map((i) -> executor.submit(() -> send(nodes.get(i % 2), "busy", Map.of("customer", "c", "text", "t"))))
				.toList();
			for (Future<HttpStatusCode> send : sends) {
				assertThat(send.get().value()).isEqualTo(200);
			}
		}
		finally {
			executor.shutdownNow();
		}
		assertThat(api.getBean(TokenIssuer.class).issued("busy")).isEqualTo(1);
	}

	@Test
	void refusedTokenIsAnAnswerAndIsReplaced() {
		Map<String, String> message = Map.of("customer", "c", "text", "t");
		assertThat(send(nodes.get(0), "shared", message).value()).isEqualTo(200);
		// somebody fetches a token without the lock
		RestClient.create(url(api))
			.get()
			.uri("/cgi-bin/token?grant_type=client_credential&appid=shared&secret=s")
			.retrieve()
			.toBodilessEntity();
		assertThat(send(nodes.get(0), "shared", message).value()).isEqualTo(502);
		assertThat(send(nodes.get(0), "shared", message).value()).isEqualTo(200);
	}

	@Test
	void actuatorShowsTheLocks() {
		assertThat(send(nodes.get(1), "watched", Map.of("customer", "c", "text", "t")).value()).isEqualTo(200);
		assertThat(get("/health/locks")).containsEntry("status", "UP");
		assertThat(get("/locks")).containsKeys("held", "waiting", "lost", "providers");
		assertThat(get("/metrics/lock.acquire?tag=lock.name:wechat-token&tag=lock.outcome:acquired"))
			.containsKey("measurements");
	}

	private static ConfigurableApplicationContext node() {
		return new SpringApplicationBuilder(NodeApplication.class).run("--server.port=0", "--wechat.url=" + url(api),
				"--wechat.secret=s", "--spring.http.clients.read-timeout=30s", "--lock.command-timeout=30s",
				"--spring.data.redis.port=" + redis.port());
	}

	private static HttpStatusCode send(ConfigurableApplicationContext node, String account,
			Map<String, String> message) {
		return RestClient.create(url(node))
			.post()
			.uri("/accounts/{account}/messages", account)
			.body(message)
			.exchange((request, response) -> response.getStatusCode());
	}

	private static Map<String, Object> get(String endpoint) {
		return RestClient.create(url(nodes.get(1)) + "/actuator")
			.get()
			.uri(endpoint)
			.retrieve()
			.body(new ParameterizedTypeReference<>() {
			});
	}

	private static String url(ConfigurableApplicationContext application) {
		return "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(WeChatApi.class)
	static class Api {

		@Bean
		TokenIssuer tokenIssuer() {
			return new TokenIssuer(Duration.ofHours(2));
		}

	}

}
