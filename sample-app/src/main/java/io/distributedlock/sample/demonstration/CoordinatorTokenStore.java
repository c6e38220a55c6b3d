package io.distributedlock.sample.demonstration;

import java.time.Instant;
import java.util.Optional;

import io.distributedlock.sample.node.AccessToken;
import io.distributedlock.sample.node.TokenStore;

import org.springframework.web.client.RestClient;

/**
 * Shares the tokens through the coordinator, if the backend of the locks is not Redis.
 */
class CoordinatorTokenStore implements TokenStore {

	private final RestClient client;

	CoordinatorTokenStore(String baseUrl) {
		this.client = RestClient.create(baseUrl);
	}

	@Override
	public Optional<AccessToken> read(String appId) {
		String[] parts = text(appId).split(" ", -1);
		return (parts.length == 2) ? Optional.of(new AccessToken(parts[0], Instant.parse(parts[1]))) : Optional.empty();
	}

	@Override
	public void write(String appId, AccessToken token) {
		this.client.post()
			.uri("/demo/token/{appId}", appId)
			.body(token.value() + " " + token.expiresAt())
			.retrieve()
			.toBodilessEntity();
	}

	private String text(String appId) {
		String text = this.client.get().uri("/demo/token/{appId}", appId).retrieve().body(String.class);
		return (text != null) ? text : "";
	}

}
