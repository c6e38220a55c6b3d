package io.distributedlock.sample.node;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.distributedlock.sample.DemoClock;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * Calls WeChat's API over HTTP.
 */
@Component
class WeChatClient {

	private final RestClient api;

	WeChatClient(@Value("${demo.coordinator}") String baseUrl) {
		this.api = RestClient.create(baseUrl);
	}

	AccessToken fetchToken(String appId) {
		long requestedAt = System.currentTimeMillis();
		TokenAnswer answer = Objects.requireNonNull(this.api.get()
			.uri("/cgi-bin/token?grant_type=client_credential&appid={appId}&secret={secret}", appId, "demo")
			.retrieve()
			.body(TokenAnswer.class));
		return new AccessToken(answer.accessToken(),
				requestedAt + DemoClock.real(Duration.ofSeconds(answer.expiresIn())).toMillis());
	}

	/**
	 * Send an order-status message.
	 * @return {@code false} if the API refuses the token
	 */
	boolean send(AccessToken token, String text) {
		SendAnswer answer = Objects.requireNonNull(this.api.post()
			.uri("/cgi-bin/message/custom/send?access_token={token}", token.value())
			.body(Map.of("touser", "customer", "msgtype", "text", "text", Map.of("content", text)))
			.retrieve()
			.body(SendAnswer.class));
		return answer.errcode() == 0;
	}

	private record TokenAnswer(@JsonProperty("access_token") String accessToken,
			@JsonProperty("expires_in") long expiresIn) {
	}

	private record SendAnswer(int errcode, String errmsg) {
	}

}
