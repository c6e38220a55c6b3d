package io.distributedlock.sample.node;

import java.util.Optional;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * Shares the token through the coordinator, if the backend of the locks is not Redis.
 */
@Component
@ConditionalOnProperty(name = "demo.token-store", havingValue = "coordinator")
class CoordinatorTokenCache implements TokenCache {

	private final RestClient client;

	CoordinatorTokenCache(@Value("${demo.coordinator}") String baseUrl) {
		this.client = RestClient.create(baseUrl);
	}

	@Override
	public Optional<AccessToken> read(int epoch) {
		String[] parts = text(epoch).split(" ", -1);
		return (parts.length == 2) ? Optional.of(new AccessToken(parts[0], Long.parseLong(parts[1])))
				: Optional.empty();
	}

	@Override
	public void write(int epoch, AccessToken token) {
		this.client.post()
			.uri("/demo/token/{epoch}", epoch)
			.body(token.value() + " " + token.expiresAtMillis())
			.retrieve()
			.toBodilessEntity();
	}

	private String text(int epoch) {
		String text = this.client.get().uri("/demo/token/{epoch}", epoch).retrieve().body(String.class);
		return (text != null) ? text : "";
	}

}
