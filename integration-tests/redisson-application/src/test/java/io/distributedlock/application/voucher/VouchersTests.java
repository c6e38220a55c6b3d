package io.distributedlock.application.voucher;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two nodes sell ten vouchers to twenty users who click several times.
 */
@ExtendWith(OutputCaptureExtension.class)
class VouchersTests {

	private final HttpClient http = HttpClient.newHttpClient();

	@Test
	void nothingIsSoldTwice(CapturedOutput output) {
		try (RedisTestServer server = RedisTestServer.run();
				ConfigurableApplicationContext one = start(server.port());
				ConfigurableApplicationContext two = start(server.port())) {
			JdbcTemplate jdbc = one.getBean(JdbcTemplate.class);
			jdbc.execute("create table voucher (id bigint primary key, stock int)");
			jdbc.execute("create table voucher_order (id bigint primary key, user_id bigint, voucher_id bigint)");
			jdbc.execute("insert into voucher values (7, 10)");
			List<String> ports = List.of(one.getEnvironment().getProperty("local.server.port", ""),
					two.getEnvironment().getProperty("local.server.port", ""));
			long end = System.nanoTime() + 60_000_000_000L;
			while (jdbc.queryForObject("select stock from voucher", Integer.class) > 0 && System.nanoTime() - end < 0) {
				List<CompletableFuture<String>> clicks = new ArrayList<>();
				for (int i = 0; i < 60; i++) {
					clicks.add(click(ports.get(i % 2), i / 3));
				}
				clicks.forEach(
						(each) -> assertThat(each.join()).contains("\"success\"").doesNotContain("\"status\":500"));
			}
			assertThat(jdbc.queryForObject("select stock from voucher", Integer.class)).isZero();
			assertThat(jdbc.queryForObject("select count(*) from voucher_order", Integer.class)).isEqualTo(10);
			assertThat(jdbc.queryForObject("select count(distinct user_id) from voucher_order", Integer.class))
				.isEqualTo(10);
		}
		// other libraries may warn on a busy machine
		assertThat(output.getAll().lines().filter((line) -> line.matches(".*(WARN|ERROR) .* i(o)?\\.d.*"))).isEmpty();
	}

	private CompletableFuture<String> click(String port, int user) {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:%s/voucher-order/seckill/7".formatted(port)))
			.header("authorization", String.valueOf(user))
			.POST(HttpRequest.BodyPublishers.noBody())
			.build();
		return this.http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body);
	}

	private static ConfigurableApplicationContext start(int redisPort) {
		return new SpringApplicationBuilder(Vouchers.class).web(WebApplicationType.SERVLET)
			.run("--spring.application.name=voucher", "--spring.data.redis.host=127.0.0.1",
					"--spring.data.redis.port=" + redisPort, "--server.port=0",
					"--spring.datasource.url=jdbc:h2:mem:vouchers;DB_CLOSE_DELAY=-1", "--spring.cache.type=none",
					"--spring.sql.init.mode=never", "--lock.command-timeout=20s");
	}

}
