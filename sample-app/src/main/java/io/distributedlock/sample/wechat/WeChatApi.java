package io.distributedlock.sample.wechat;

import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The two calls of WeChat's API that the nodes use, with the latency of a real network.
 */
@RestController
public class WeChatApi {

	private static final int INVALID_CREDENTIAL = 40001;

	private final TokenIssuer issuer;

	public WeChatApi(TokenIssuer issuer) {
		this.issuer = issuer;
	}

	@GetMapping("/cgi-bin/token")
	Map<String, Object> token(@RequestParam("grant_type") String grantType, @RequestParam String appid,
			@RequestParam String secret) {
		delay(80, 200);
		if (!grantType.equals("client_credential") || appid.isBlank() || secret.isBlank()) {
			return Map.of("errcode", 40013, "errmsg", "invalid appid");
		}
		return Map.of("access_token", this.issuer.issue(appid), "expires_in", this.issuer.lifetime().toSeconds());
	}

	@PostMapping("/cgi-bin/message/custom/send")
	Map<String, Object> send(@RequestParam("access_token") String accessToken,
			@RequestBody Map<String, Object> message) {
		boolean valid = this.issuer.isValid(accessToken);
		delay(20, 60);
		return valid ? Map.of("errcode", 0, "errmsg", "ok") : Map.of("errcode", INVALID_CREDENTIAL, "errmsg",
				"invalid credential, access_token is invalid or not latest");
	}

	private static void delay(int atLeastMillis, int atMostMillis) {
		long millis = ThreadLocalRandom.current().nextLong(atLeastMillis, atMostMillis);
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
	}

}
