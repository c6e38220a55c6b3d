package io.distributedlock.test.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.test.patience.Patience;

/**
 * A private key and a self-signed certificate in PEM files, created by the JDK's
 * {@code keytool}. Clients must be told to trust it.
 *
 * @param key the file of the key
 * @param certificate the file of the certificate
 * @since 0.1
 */
public record TestCertificate(Path key, Path certificate) {

	private static final String PASSWORD = "changeit";

	/**
	 * Create a certificate.
	 * @param folder the folder for its files
	 * @param name the name of the server, such as {@code ip:127.0.0.1} or
	 * {@code dns:localhost}
	 * @return the certificate
	 */
	public static TestCertificate create(Path folder, String name) {
		Path store = folder.resolve("server.p12");
		try {
			Process keytool = new ProcessBuilder(
					List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
							"-alias", "server", "-keyalg", "EC", "-groupname", "secp256r1", "-validity", "2", "-dname",
							"CN=server", "-ext", "san=" + name, "-storetype", "PKCS12", "-keystore", store.toString(),
							"-storepass", PASSWORD))
				.redirectErrorStream(true)
				.redirectOutput(folder.resolve("keytool.log").toFile())
				.start();
			if (!keytool.waitFor(Patience.SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
				throw new IllegalStateException("keytool failed: see " + folder.resolve("keytool.log"));
			}
			KeyStore keys = KeyStore.getInstance("PKCS12");
			try (InputStream in = Files.newInputStream(store)) {
				keys.load(in, PASSWORD.toCharArray());
			}
			return new TestCertificate(
					pem(folder.resolve("key.pem"), "PRIVATE KEY",
							keys.getKey("server", PASSWORD.toCharArray()).getEncoded()),
					pem(folder.resolve("certificate.pem"), "CERTIFICATE", keys.getCertificate("server").getEncoded()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private static Path pem(Path file, String type, byte[] content) throws IOException {
		return Files.writeString(file, "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(type,
				Base64.getMimeEncoder().encodeToString(content), type));
	}

}
