package io.distributedlock.etcd;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.EtcdTestServer;
import io.distributedlock.test.server.ServerBinary;
import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.auth.Permission;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdExceptionFactory;
import io.etcd.jetcd.kv.PutResponse;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Keys and leases that others end, watches that etcd ends, servers that fail, rights and
 * TLS.
 */
class EtcdEdgeCaseTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static EtcdTestServer server;

	private final List<AutoCloseable> opened = new ArrayList<>();

	@BeforeAll
	static void start() {
		server = EtcdTestServer.run();
	}

	@AfterAll
	static void stop() {
		if (server != null) {
			server.close();
		}
	}

	@AfterEach
	void closeAll() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void oneReleaseWakesOneWaiterOfMany() {
		EtcdLockProvider provider = patient(client(server.url()));
		LeaseRequest request = new LeaseRequest("herd", LONG, LockType.EXCLUSIVE);
		Lease holder = Objects.requireNonNull(get(provider.tryAcquire(request)));
		AtomicInteger woken = new AtomicInteger();
		List<LockQueue.Place> places = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			LockQueue.Place place = provider.enqueue(request);
			Patience.await().until(place::isBehindOthers);
			place.granted().thenAccept((lease) -> woken.incrementAndGet());
			places.add(place);
		}
		// when one in the middle leaves, the one behind it looks and goes on waiting
		places.get(5).leave();
		assertThat(get(holder.release())).isTrue();
		Lease next = get(places.get(0).granted());
		Patience.await().during(Duration.ofMillis(300)).until(() -> woken.get() == 1);
		get(next.release());
		for (int i = 1; i < places.size(); i++) {
			if (i != 5) {
				get(get(places.get(i).granted()).release());
			}
		}
		// the test may go on before a grant is counted
		Patience.await().untilAtomic(woken, (count) -> assertThat(count).isEqualTo(19));
	}

	@Test
	void lockWhoseKeyIsDeletedByHandIsLost() {
		Client client = client(server.url());
		try (DefaultLockTemplate template = template(client, Duration.ofSeconds(3));
				LockHandle handle = acquired(template, "deleted")) {
			get(client.getKVClient()
				.delete(bytes("distributed-lock/" + handle.key() + "/"),
						DeleteOption.builder().isPrefix(true).build()));
			Patience.await().until(() -> !handle.isValid());
		}
	}

	@Test
	void lockWhoseEtcdLeaseIsRevokedIsLost() {
		Client client = client(server.url());
		try (DefaultLockTemplate template = template(client, Duration.ofSeconds(3));
				LockHandle handle = acquired(template, "revoked")) {
			long leaseId = get(client.getKVClient()
				.get(bytes("distributed-lock/" + handle.key() + "/"), GetOption.builder().isPrefix(true).build()))
				.getKvs()
				.get(0)
				.getLease();
			get(client.getLeaseClient().revoke(leaseId));
			Patience.await().until(() -> !handle.isValid());
		}
	}

	@Test
	void placeIsRenewedWhileItsOwnerWaits() throws Exception {
		Client client = client(server.url());
		try (DefaultLockTemplate holder = template(client, Duration.ofSeconds(6));
				DefaultLockTemplate waiter = template(client, Duration.ofSeconds(6))) {
			LockHandle handle = acquired(holder, "patient");
			CompletableFuture<LockHandle> waiting = waiter
				.acquireAsync(LockRequest.of("patient").withWaitTime(Patience.LIMIT));
			Patience.await().until(() -> keys(client, "distributed-lock/patient/") == 2);
			Patience.await()
				.failFast(() -> keys(client, "distributed-lock/patient/") != 2)
				.during(Duration.ofSeconds(7))
				.until(() -> true);
			handle.close();
			try (LockHandle next = waiting.get(Patience.SECONDS, TimeUnit.SECONDS)) {
				next.ensureHeld();
			}
		}
	}

	@Test
	void watchThatIsRefusedIsBegunAgainAfterAPause() {
		AtomicInteger watches = new AtomicInteger();
		Client refusing = refusingWatches(client(server.url()), watches);
		EtcdLockProvider provider = patient(refusing);
		LeaseRequest request = new LeaseRequest("refused", LONG, LockType.EXCLUSIVE);
		Lease holder = Objects.requireNonNull(get(provider.tryAcquire(request)));
		LockQueue.Place place = provider.enqueue(request);
		Patience.await().until(place::isBehindOthers);
		Patience.await().during(Duration.ofSeconds(2)).atMost(LONG).until(() -> watches.get() > 0);
		assertThat(watches).as("watches that were begun in two seconds").hasValueLessThan(50);
		get(holder.release());
		get(get(place.granted()).release());
	}

	@Test
	void waiterIsGrantedTheLockThoughTheRevisionOfItsWatchWasCompacted() throws Exception {
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			Client near = client(server.url());
			EtcdLockProvider holding = patient(near);
			EtcdLockProvider waiting = patient(client("http://127.0.0.1:" + proxy.port()));
			LeaseRequest request = new LeaseRequest("compacted", LONG, LockType.EXCLUSIVE);
			Lease holder = Objects.requireNonNull(get(holding.tryAcquire(request)));
			LockQueue.Place place = waiting.enqueue(request);
			Patience.await().until(place::isBehindOthers);
			proxy.cut();
			PutResponse put = get(near.getKVClient().put(bytes("elsewhere"), bytes("")));
			get(near.getKVClient().compact(put.getHeader().getRevision()));
			get(holder.release());
			get(get(place.granted()).release());
		}
	}

	@Test
	void serverThatIsDownIsUnavailableAndNotContended() {
		try (EtcdTestServer own = EtcdTestServer.run()) {
			try (DefaultLockTemplate template = DefaultLockTemplate.builder()
				.provider(new EtcdLockProvider(client(own.url()), EtcdLockProvider.DEFAULT_PREFIX,
						Duration.ofMillis(500)))
				.build()) {
				LockRequest patient = LockRequest.of("k").withWaitTime(Patience.LIMIT).withWaitThroughOutage(true);
				template.acquire(patient).close();
				own.kill();
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("k"));
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.acquire(LockRequest.of("k").withWaitTime(Duration.ofSeconds(1))));
				own.start();
				template.acquire(patient).close();
			}
		}
	}

	@Test
	void roleForThePrefixIsEnough() {
		try (EtcdTestServer own = EtcdTestServer.run()) {
			Auth auth = client(own.url()).getAuthClient();
			get(auth.userAdd(bytes("root"), bytes("root")));
			get(auth.roleAdd(bytes("root")));
			get(auth.userGrantRole(bytes("root"), bytes("root")));
			get(auth.userAdd(bytes("locker"), bytes("secret")));
			get(auth.roleAdd(bytes("locks")));
			get(auth.roleGrantPermission(bytes("locks"), bytes("distributed-lock/shop:lock:"),
					bytes("distributed-lock/shop:lock;"), Permission.Type.READWRITE));
			get(auth.userGrantRole(bytes("locker"), bytes("locks")));
			get(auth.authEnable());
			try (DefaultLockTemplate first = secured(own, "secret");
					DefaultLockTemplate second = secured(own, "secret")) {
				LockRequest request = LockRequest.of("k").withWaitTime(Patience.LIMIT);
				LockHandle handle = first.acquire(request);
				CompletableFuture<LockHandle> waiting = second.acquireAsync(request);
				Patience.await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
				handle.close();
				get(waiting).close();
			}
			try (DefaultLockTemplate elsewhere = DefaultLockTemplate.builder()
				.provider(patient(securedClient(own, "secret")))
				.keyPrefix("other")
				.build()) {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> elsewhere.acquire("k"))
					.withMessageContaining("least rights");
			}
			try (DefaultLockTemplate wrong = secured(own, "wr0ng")) {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> wrong.acquire("k"))
					.withMessageContaining("credentials")
					.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("wr0ng"));
			}
		}
	}

	/**
	 * Acquire a lock that nobody has, as soon as the cluster has a leader for long
	 * enough.
	 */
	private static LockHandle acquired(LockTemplate template, String key) {
		return Patience.await()
			.ignoreExceptionsInstanceOf(LockException.class)
			.until(() -> template.acquire(LockRequest.of(key).withWaitTime(Duration.ofSeconds(5))), Objects::nonNull);
	}

	@Test
	void lockSurvivesTheDeathOfTheLeader() {
		List<EtcdTestServer> cluster = EtcdTestServer.runCluster(3);
		try {
			Client client = client(cluster.stream().map(EtcdTestServer::url).toArray(String[]::new));
			// longer than an election on a busy machine
			try (DefaultLockTemplate first = template(client, LONG);
					DefaultLockTemplate second = template(client, LONG);
					LockHandle handle = acquired(first, "k")) {
				leader(cluster).kill();
				acquired(second, "another").close();
				assertThat(handle.isValid()).isTrue();
				Patience.await("a refusal")
					.ignoreExceptionsInstanceOf(LockException.class)
					.until(() -> second.tryAcquire("k").isEmpty());
			}
		}
		finally {
			cluster.forEach(EtcdTestServer::close);
		}
	}

	@Test
	void locksWorkWithTls(@TempDir Path folder) throws IOException, InterruptedException {
		ServerBinary openssl = ServerBinary.require("openssl", List.of(() -> ServerBinary.onPath("openssl")));
		Path certificate = folder.resolve("cert.pem");
		Path key = folder.resolve("key.pem");
		Process made = new ProcessBuilder(openssl.path().toString(), "req", "-x509", "-newkey", "rsa:2048", "-nodes",
				"-keyout", key.toString(), "-out", certificate.toString(), "-days", "2", "-subj", "/CN=localhost",
				"-addext", "subjectAltName=IP:127.0.0.1")
			.redirectErrorStream(true)
			.redirectOutput(folder.resolve("log").toFile())
			.start();
		assertThat(made.waitFor()).isZero();
		try (EtcdTestServer own = EtcdTestServer.runWithTls(certificate, key)) {
			Client trusting = Client.builder()
				.endpoints(own.url())
				.sslContext((ssl) -> ssl.trustManager(certificate.toFile()))
				.build();
			this.opened.add(trusting);
			try (DefaultLockTemplate template = template(trusting, LONG)) {
				acquired(template, "k").close();
			}
		}
	}

	/**
	 * Return a client whose server ends every watch as soon as it is begun.
	 */
	private static Client refusingWatches(Client client, AtomicInteger watches) {
		Watch refusing = (Watch) Proxy.newProxyInstance(Watch.class.getClassLoader(), new Class<?>[] { Watch.class },
				(proxy, method, arguments) -> {
					watches.incrementAndGet();
					Watch.Listener listener = (Watch.Listener) arguments[arguments.length - 1];
					listener.onError(EtcdExceptionFactory.newEtcdException(ErrorCode.FAILED_PRECONDITION, "refused"));
					return Proxy.newProxyInstance(Watch.class.getClassLoader(), new Class<?>[] { Watch.Watcher.class },
							(watcher, ended, none) -> null);
				});
		return (Client) Proxy.newProxyInstance(Client.class.getClassLoader(), new Class<?>[] { Client.class },
				(proxy, method, arguments) -> method.getName().equals("getWatchClient") ? refusing
						: method.invoke(client, arguments));
	}

	static EtcdTestServer leader(List<EtcdTestServer> cluster) {
		// a member that is asked during an election may not answer
		return Patience.await()
			.ignoreExceptions()
			.until(() -> cluster.stream().filter(EtcdEdgeCaseTests::isLeader).findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	private static boolean isLeader(EtcdTestServer member) {
		try (Client client = Client.builder().endpoints(member.url()).build()) {
			var status = get(client.getMaintenanceClient().statusMember(member.url()));
			return status.getLeader() == status.getHeader().getMemberId();
		}
	}

	private DefaultLockTemplate secured(EtcdTestServer own, String password) {
		return DefaultLockTemplate.builder()
			.provider(patient(securedClient(own, password)))
			.keyPrefix("shop:lock")
			.build();
	}

	private Client securedClient(EtcdTestServer own, String password) {
		Client client = Client.builder().endpoints(own.url()).user(bytes("locker")).password(bytes(password)).build();
		this.opened.add(client);
		return client;
	}

	private static DefaultLockTemplate template(Client client, Duration leaseTime) {
		return DefaultLockTemplate.builder().provider(provider(client)).renewalLeaseTime(leaseTime).build();
	}

	private static EtcdLockProvider provider(Client client) {
		return new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, Duration.ofSeconds(2));
	}

	private static EtcdLockProvider patient(Client client) {
		return new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, Patience.LIMIT);
	}

	private Client client(String... urls) {
		Client client = Client.builder().endpoints(urls).build();
		this.opened.add(client);
		return client;
	}

	private static long keys(Client client, String prefix) {
		return get(
				client.getKVClient().get(bytes(prefix), GetOption.builder().isPrefix(true).withCountOnly(true).build()))
			.getCount();
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
