package io.distributedlock.application.voucher;

/**
 * The user of the request.
 */
public final class UserHolder {

	private static final ThreadLocal<UserDTO> USER = new ThreadLocal<>();

	private UserHolder() {
	}

	public static void saveUser(UserDTO user) {
		USER.set(user);
	}

	public static UserDTO getUser() {
		return USER.get();
	}

	public static void removeUser() {
		USER.remove();
	}

	public record UserDTO(Long id) {
	}

}
