package io.distributedlock.sample.node;

import io.distributedlock.LockException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Takes messages over HTTP.
 */
@RestController
class MessageController {

	private final MessageService messages;

	MessageController(MessageService messages) {
		this.messages = messages;
	}

	@PostMapping("/accounts/{appId}/messages")
	void send(@PathVariable String appId, @RequestBody Message message) {
		this.messages.send(appId, message);
	}

	@ExceptionHandler
	ProblemDetail refused(TokenRefusedException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_GATEWAY, ex.getMessage());
	}

	/**
	 * No lock within the wait time, or the backend of the locks does not answer.
	 */
	@ExceptionHandler
	ProblemDetail noLock(LockException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "There is no token now. Try again");
	}

}
