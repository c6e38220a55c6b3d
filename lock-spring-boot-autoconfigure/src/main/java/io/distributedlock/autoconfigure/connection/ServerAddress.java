package io.distributedlock.autoconfigure.connection;

import io.distributedlock.annotation.InvalidLockSetupException;

/**
 * Host and port of a server, as they are written in a list of servers.
 *
 * @param host the name or the IP address of the server; an IPv6 address in brackets
 * @param port the port
 * @since 0.1
 */
public record ServerAddress(String host, int port) {

	private static final int LAST_PORT = 65535;

	/**
	 * Read an address such as {@code redis1:6379}.
	 * @param property the name of the property that the text comes from, for the message
	 * @param text host and port, or the host alone
	 * @param defaultPort the port of an address that names none
	 * @return the address
	 * @throws InvalidLockSetupException if the port is not a number, or there is no such
	 * port
	 */
	public static ServerAddress parse(String property, String text, int defaultPort) {
		int colon = text.lastIndexOf(':');
		if (colon <= 0 || text.endsWith("]")) {
			return new ServerAddress(text, defaultPort);
		}
		String port = text.substring(colon + 1);
		if (port.matches("\\d{1,5}") && isPort(Integer.parseInt(port))) {
			return new ServerAddress(text.substring(0, colon), Integer.parseInt(port));
		}
		throw new InvalidLockSetupException(
				"%s contains '%s', whose port is not a number from 1 to %s.".formatted(property, text, LAST_PORT),
				"Write host:port, such as server1:%s.".formatted(defaultPort), null);
	}

	/**
	 * Return an address whose port is a property of its own.
	 * @param property the name of the property with the port, for the message
	 * @param host the host
	 * @param port the port
	 * @return the address
	 * @throws InvalidLockSetupException if there is no such port
	 */
	public static ServerAddress of(String property, String host, int port) {
		if (isPort(port)) {
			return new ServerAddress(host, port);
		}
		throw new InvalidLockSetupException("%s is %s, which is no port.".formatted(property, port),
				"Set %s to a number from 1 to %s.".formatted(property, LAST_PORT), null);
	}

	private static boolean isPort(int port) {
		return port > 0 && port <= LAST_PORT;
	}

	@Override
	public String toString() {
		return this.host + ":" + this.port;
	}

}
