package io.distributedlock.autoconfigure.connection;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * A user and the password of this user.
 *
 * @param username the user
 * @param password the password
 * @since 0.1
 */
public record SignIn(String username, String password) {

	/**
	 * Return what two properties say.
	 * @param properties what the names of both begin with, such as {@code lock.etcd}
	 * @param username the user; an empty text is none
	 * @param password the password; an empty text is none
	 * @return {@code null} if neither is set
	 * @throws InvalidLockSetupException if only one of them is set: without the other one
	 * it would have no effect
	 */
	public static @Nullable SignIn of(String properties, @Nullable String username, @Nullable String password) {
		if (username != null && !username.isEmpty() && password != null && !password.isEmpty()) {
			return new SignIn(username, password);
		}
		boolean user = StringUtils.hasLength(username);
		if (user || StringUtils.hasLength(password)) {
			throw new InvalidLockSetupException(
					"%1$s.%2$s is set, but %1$s.%3$s is not, or is empty.".formatted(properties,
							user ? "username" : "password", user ? "password" : "username"),
					"Set both %1$s.username and %1$s.password, or neither.".formatted(properties), null);
		}
		return null;
	}

	@Override
	public String toString() {
		return "SignIn[username=%s]".formatted(this.username);
	}

}
