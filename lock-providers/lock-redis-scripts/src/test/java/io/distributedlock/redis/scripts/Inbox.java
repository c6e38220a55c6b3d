package io.distributedlock.redis.scripts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import io.distributedlock.test.server.RedisTestServer;

/**
 * Receives the messages of one channel.
 */
final class Inbox implements AutoCloseable {

	private final Socket socket;

	private final BufferedReader in;

	Inbox(RedisTestServer server, String channel) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
		this.socket.setSoTimeout(20_000);
		this.in = new BufferedReader(new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
		this.socket.getOutputStream()
			.write("*2\r\n$9\r\nSUBSCRIBE\r\n$%s\r\n%s\r\n".formatted(channel.length(), channel)
				.getBytes(StandardCharsets.UTF_8));
		// an array of a word, the channel and the number of subscriptions
		for (int i = 0; i < 6; i++) {
			this.in.readLine();
		}
	}

	/**
	 * Return the next message.
	 */
	String next() throws IOException {
		String line = "";
		// an array of a word, the channel and the message
		for (int i = 0; i < 7; i++) {
			line = this.in.readLine();
		}
		return line;
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
