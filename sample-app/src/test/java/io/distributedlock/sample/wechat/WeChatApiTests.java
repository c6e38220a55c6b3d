package io.distributedlock.sample.wechat;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = "lock.enabled=false")
class WeChatApiTests {

	@LocalServerPort
	private int port;

	@Test
	void newTokenReplacesTheOldOne() {
		String first = token();
		assertThat(send(first)).isEqualTo(0);
		String second = token();
		assertThat(send(second)).isEqualTo(0);
		assertThat(send(first)).isEqualTo(40001);
		assertThat(send("made up")).isEqualTo(40001);
	}

	@Test
	void accountsHaveTokensOfTheirOwn() {
		String first = token();
		get("/cgi-bin/token?grant_type=client_credential&appid=other&secret=s");
		assertThat(send(first)).isEqualTo(0);
	}

	@Test
	void tokenSaysHowLongItLives() {
		assertThat(get("/cgi-bin/token?grant_type=client_credential&appid=a&secret=s")).containsEntry("expires_in",
				(int) Patience.SECONDS);
	}

	@Test
	void twoHoursOfATokenTakeFourSeconds() {
		assertThat(new TokenIssuer().lifetime()).isEqualTo(Duration.ofSeconds(4));
	}

	private String token() {
		return String.valueOf(get("/cgi-bin/token?grant_type=client_credential&appid=a&secret=s").get("access_token"));
	}

	private Object send(String token) {
		return client().post()
			.uri("/cgi-bin/message/custom/send?access_token={token}", token)
			.body(Map.of("touser", "somebody"))
			.retrieve()
			.body(new ParameterizedTypeReference<Map<String, Object>>() {
			})
			.get("errcode");
	}

	private Map<String, Object> get(String uri) {
		return client().get().uri(uri).retrieve().body(new ParameterizedTypeReference<>() {
		});
	}

	private RestClient client() {
		return RestClient.create("http://127.0.0.1:" + this.port);
	}

	@Configuration
	@EnableAutoConfiguration
	@Import(WeChatApi.class)
	static class Config {

		@Bean
		TokenIssuer tokenIssuer() {
			return new TokenIssuer(Patience.LIMIT);
		}

	}

}
