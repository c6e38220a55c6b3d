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

import org.jspecify.annotations.Nullable;

/**
 * A small client of the Redis protocol, with which a test looks at a server
 * (<a href="https://redis.io/docs/latest/develop/reference/protocol-spec/">RESP2</a>).
 */
final class RespConnection implements AutoCloseable {

	private final Socket socket;

	private final InputStream in;

	RespConnection(int port) throws IOException {
		this.socket = ServerProcess.connect(port);
		this.in = new BufferedInputStream(this.socket.getInputStream());
	}

	@Nullable Object send(String... command) throws IOException {
		ByteArrayOutputStream request = new ByteArrayOutputStream();
		request.writeBytes(("*" + command.length + "\r\n").getBytes(StandardCharsets.UTF_8));
		for (String part : command) {
			byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
			request.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
			request.writeBytes(bytes);
			request.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
		}
		this.socket.getOutputStream().write(request.toByteArray());
		return read();
	}

	private @Nullable Object read() throws IOException {
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
