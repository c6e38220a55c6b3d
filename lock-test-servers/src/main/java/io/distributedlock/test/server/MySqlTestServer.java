package io.distributedlock.test.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A real mysqld, see {@link MySqlProgram}.
 *
 * @since 0.1
 */
public final class MySqlTestServer extends MySqlFamilyServer {

	private final ServerBinary binary;

	private final List<String> options;

	private MySqlTestServer(ServerBinary binary, List<String> options) {
		super("mysql");
		this.binary = binary;
		this.options = options;
	}

	/**
	 * Start a server. Without a program the test is skipped, see {@link ServerBinary}.
	 * @param options options of mysqld, also for the moment at which it makes its data
	 * folder
	 * @return the server, which is ready
	 */
	public static MySqlTestServer run(String... options) {
		ServerBinary binary = MySqlProgram.find();
		Path data = makeData(binary, List.of(options));
		MySqlTestServer server = new MySqlTestServer(binary, List.of(options));
		server.prepare(data);
		server.start();
		return server;
	}

	/**
	 * Unpack the program and make its data folder, which takes longer than one test may.
	 * Without a program nothing happens.
	 */
	public static void unpack() {
		if (MySqlProgram.isAvailable()) {
			makeData(MySqlProgram.find(), List.of());
		}
	}

	/**
	 * Without TLS, which costs time. Then the driver has to ask the server for the key
	 * with which it sends a password.
	 */
	@Override
	public String url() {
		return "jdbc:mysql://127.0.0.1:%s/locks?sslMode=DISABLED&allowPublicKeyRetrieval=true".formatted(port());
	}

	@Override
	protected List<String> command() {
		List<String> command = program(this.binary, this.options, folder().resolve("data"), folder());
		command.addAll(List.of("--init-file=" + folder().resolve("init.sql"), "--bind-address=127.0.0.1",
				"--port=" + port(), "--socket=" + folder().resolve("socket"), "--pid-file=" + folder().resolve("pid"),
				"--skip-name-resolve", "--max-connections=400", "--mysqlx=OFF", "--tls-version=",
				"--auto-generate-certs=OFF"));
		return command;
	}

	@Override
	protected Map<String, String> environment() {
		return this.binary.environment();
	}

	private static Path makeData(ServerBinary binary, List<String> options) {
		try {
			return BuildFolder.once("mysql-data-%08x".formatted(Objects.hash(binary.path(), options)), (work) -> {
				Path data = work.resolve("data");
				List<String> command = program(binary, options, data, work);
				command.add("--initialize-insecure");
				BuildFolder.run(work, new ProcessBuilder(command));
				return data;
			});
		}
		catch (IOException ex) {
			throw ServerBinary.missing("%s cannot make its data folder: %s".formatted(binary.path(), ex));
		}
	}

	/**
	 * What is written must survive the end of the process, but not that of the machine,
	 * which saves time: nothing waits for the disk.
	 */
	private static List<String> program(ServerBinary binary, List<String> options, Path data, Path temporary) {
		List<String> command = new ArrayList<>(List.of(binary.path().toString()));
		if (System.getProperty(MySqlProgram.PROPERTY) == null) {
			// it must come first, and a program of choice may be a script that says so
			command.add("--no-defaults");
		}
		command
			.addAll(List.of("--datadir=" + data, "--tmpdir=" + temporary, "--skip-log-bin", "--performance-schema=OFF",
					"--innodb-flush-method=nosync", "--innodb-use-native-aio=OFF", "--innodb-flush-log-at-trx-commit=2",
					"--innodb-buffer-pool-size=32M", "--loose-innodb-redo-log-capacity=8M"));
		command.addAll(options);
		if ("root".equals(System.getProperty("user.name"))) {
			command.add("--user=root");
		}
		return command;
	}

}
