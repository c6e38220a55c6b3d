package io.distributedlock.autoconfigure;

/**
 * Host and port of a server, as they are written in a list of servers.
 *
 * @param host the name or the IP address of the server; an IPv6 address in brackets
 * @param port the port
 * @since 0.1
 */
public record ServerAddress(String host, int port) {

	/**
	 * Read an address such as {@code redis1:6379}.
	 * @param property the name of the property that the text comes from, for the message
	 * @param text host and port, or the host alone
	 * @param defaultPort the port of an address that names none
	 * @return the address
	 * @throws LockConfigurationException if the port is not a number
	 */
	public static ServerAddress parse(String property, String text, int defaultPort) {
		int colon = text.lastIndexOf(':');
		if (colon <= 0 || text.endsWith("]")) {
			return new ServerAddress(text, defaultPort);
		}
		try {
			return new ServerAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
		}
		catch (NumberFormatException ex) {
			throw new LockConfigurationException(
					"%s contains '%s', whose port is not a number.".formatted(property, text),
					"Write host:port, such as server1:%d.".formatted(defaultPort), ex);
		}
	}

	@Override
	public String toString() {
		return this.host + ":" + this.port;
	}

}
