package io.distributedlock.test.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;

/**
 * A connection with the Redis protocol, with which a test looks at a server
 * (<a href="https://redis.io/docs/latest/develop/reference/protocol-spec/">RESP2</a>).
 */
final class RespConnection implements AutoCloseable {

	private final Socket socket;

	private final InputStream in;

	/**
	 * Connect to a server that may be silent: a read ends after two seconds.
	 */
	RespConnection(int port) throws IOException {
		this(ServerProcess.connect(port));
	}

	/**
	 * Connect to a server whose answers are waited for.
	 */
	static RespConnection patient(int port) throws IOException {
		return new RespConnection(ServerProcess.connect(port, (int) Patience.LIMIT.toMillis()));
	}

	/**
	 * Connect to a server that may have nothing to say for long, as to one who listens.
	 */
	static RespConnection endless(int port) throws IOException {
		return new RespConnection(ServerProcess.connect(port, 0));
	}

	RespConnection(Socket socket) throws IOException {
		this.socket = socket;
		this.in = new BufferedInputStream(socket.getInputStream());
	}

	@Nullable Object send(String... command) throws IOException {
		write(List.of(command));
		return read();
	}

	/**
	 * Write a command or a reply: a text, a number, a list, nothing or an error.
	 */
	void write(@Nullable Object value) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		append(bytes, value);
		this.socket.getOutputStream().write(bytes.toByteArray());
	}

	private static void append(ByteArrayOutputStream to, @Nullable Object value) {
		if (value instanceof List<?> list) {
			line(to, "*" + list.size());
			list.forEach((each) -> append(to, each));
		}
		else if (value instanceof Exception error) {
			line(to, "-" + error.getMessage());
		}
		else if (value instanceof String text) {
			line(to, "$" + text.getBytes(StandardCharsets.UTF_8).length);
			line(to, text);
		}
		else {
			line(to, (value != null) ? ":" + value : "$-1");
		}
	}

	private static void line(ByteArrayOutputStream to, String text) {
		to.writeBytes((text + "\r\n").getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Pass on what is read from now on, until a connection is closed.
	 */
	void transferTo(RespConnection other) throws IOException {
		this.in.transferTo(other.socket.getOutputStream());
	}

	@Nullable Object read() throws IOException {
		String line = readLine();
		String rest = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> rest;
			case '-' -> throw new IOException(rest);
			case ':' -> Long.valueOf(rest);
			case '$' -> readBulk(Integer.parseInt(rest));
			case '*' -> readArray(Integer.parseInt(rest));
			default -> throw new IOException("Not a RESP2 reply: " + line);
		};
	}

	private @Nullable String readBulk(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.in.readNBytes(length);
		readLine();
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private @Nullable List<@Nullable Object> readArray(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		List<@Nullable Object> array = new ArrayList<>(length);
		for (int i = 0; i < length; i++) {
			array.add(read());
		}
		return array;
	}

	private String readLine() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int octet = this.in.read(); octet != '\n'; octet = this.in.read()) {
			if (octet < 0) {
				throw new EOFException("The server closed the connection");
			}
			if (octet != '\r') {
				line.write(octet);
			}
		}
		return line.toString(StandardCharsets.UTF_8);
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
