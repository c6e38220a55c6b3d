package io.distributedlock.sample.coordinator;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * A store of tokens that the nodes share. It does not coordinate them: only the lock
 * does.
 */
@RestController
class SharedTokens {

	private final Map<String, String> tokens = new ConcurrentHashMap<>();

	@GetMapping("/demo/token/{appId}")
	String read(@PathVariable String appId) {
		return this.tokens.getOrDefault(appId, "");
	}

	@PostMapping("/demo/token/{appId}")
	void write(@PathVariable String appId, @RequestBody String token) {
		this.tokens.put(appId, token);
	}

}
