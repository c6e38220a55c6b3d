package io.distributedlock.sample.node;

import org.springframework.stereotype.Service;

/**
 * Sends messages with the token of their account.
 */
@Service
class MessageService {

	private final AccessTokens tokens;

	private final WeChatClient weChat;

	MessageService(AccessTokens tokens, WeChatClient weChat) {
		this.tokens = tokens;
		this.weChat = weChat;
	}

	void send(String appId, Message message) {
		AccessToken token = this.tokens.current(appId);
		if (!this.weChat.send(token, message)) {
			this.tokens.replace(appId, token);
			throw new TokenRefusedException(appId);
		}
	}

}
