package io.distributedlock.sample.coordinator;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * A store that the nodes share. It does not coordinate them: only the lock does.
 */
@RestController
class TokenStore {

	private final Map<Integer, String> tokens = new ConcurrentHashMap<>();

	@GetMapping("/demo/token/{epoch}")
	String read(@PathVariable int epoch) {
		return this.tokens.getOrDefault(epoch, "");
	}

	@PostMapping("/demo/token/{epoch}")
	void write(@PathVariable int epoch, @RequestBody String token) {
		this.tokens.put(epoch, token);
	}

}
