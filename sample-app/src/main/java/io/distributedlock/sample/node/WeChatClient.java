package io.distributedlock.sample.node;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * Calls WeChat's API over HTTP.
 */
@Component
class WeChatClient {

	private final RestClient api;

	private final String secret;

	WeChatClient(RestClient.Builder builder, WeChatProperties properties) {
		this.api = builder.baseUrl(properties.url()).build();
		this.secret = properties.secret();
	}

	/**
	 * Fetch a new token. From then on the account's old token is not valid any more.
	 */
	AccessToken fetchToken(String appId) {
		Instant requestedAt = Instant.now();
		TokenAnswer answer = Objects.requireNonNull(this.api.get()
			.uri("/cgi-bin/token?grant_type=client_credential&appid={appId}&secret={secret}", appId, this.secret)
			.retrieve()
			.body(TokenAnswer.class));
		if (answer.accessToken() == null) {
			throw new IllegalStateException("WeChat has not issued a token: " + answer.errmsg());
		}
		return new AccessToken(answer.accessToken(), requestedAt.plusSeconds(answer.expiresIn()));
	}

	/**
	 * Send a message.
	 * @return {@code false} if the API refuses the token
	 */
	boolean send(AccessToken token, Message message) {
		SendAnswer answer = Objects.requireNonNull(this.api.post()
			.uri("/cgi-bin/message/custom/send?access_token={token}", token.value())
			.body(Map.of("touser", message.customer(), "msgtype", "text", "text", Map.of("content", message.text())))
			.retrieve()
			.body(SendAnswer.class));
		return answer.errcode() == 0;
	}

	private record TokenAnswer(@JsonProperty("access_token") @Nullable String accessToken,
			@JsonProperty("expires_in") long expiresIn, @Nullable String errmsg) {
	}

	private record SendAnswer(int errcode) {
	}

}
