package io.distributedlock.sample.node;

/**
 * WeChat has refused a message because another token of its account is the valid one.
 */
class TokenRefusedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	TokenRefusedException(String appId) {
		super("WeChat has refused the token of account %s (40001). The message was not sent".formatted(appId));
	}

}
