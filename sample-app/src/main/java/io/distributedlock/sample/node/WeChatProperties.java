package io.distributedlock.sample.node;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * How WeChat is called.
 *
 * @param url where its API is
 * @param secret the secret of the accounts
 * @param refreshAhead how long before its expiry a token is no longer used for new sends
 * @param longestSend how long a send may take that has started with the old token
 */
@ConfigurationProperties("wechat")
record WeChatProperties(String url, String secret, Duration refreshAhead, Duration longestSend) {
}
