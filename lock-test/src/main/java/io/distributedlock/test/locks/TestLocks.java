package io.distributedlock.test.locks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.clock.AdjustableClock;
import org.assertj.core.api.AssertProvider;

/**
 * The locks of an application in a test. The application uses a real template on
 * providers that keep their leases in memory; the test takes part as the other nodes, as
 * the backend and as the clock.
 *
 * <pre>{@code
 * locks.contend("order:42"); // another node holds it
 * locks.expire("order:42"); // the lease of the application ends
 * locks.unavailable(); // the backend is down
 * locks.advance(Duration.ofMinutes(10)); // time passes
 * assertThat(locks).isHeld("order:42");
 * }</pre>
 *
 * A key is written as in
 * {@link LockTemplate#execute(String, io.distributedlock.LockedAction)}; with a name, as
 * {@code name:key}; an annotated method without a key has only its name. The prefix of
 * the application is left out. A full key that another layout makes, or that is exact, is
 * written as it is. Spring Boot applications get this object by
 * {@code @AutoConfigureTestLocks}; other tests create it and use its {@link #template()}.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class TestLocks implements AssertProvider<TestLocksAssert>, AutoCloseable {

	private final AdjustableClock clock = new AdjustableClock();

	private final Map<String, TestLockProvider> providers = new ConcurrentHashMap<>();

	private final Set<Contention> contentions = ConcurrentHashMap.newKeySet();

	private final SkippedWaits skipped = new SkippedWaits(this.clock);

	/**
	 * What was held when the test began, which does not end with it.
	 */
	private volatile Set<TestLease> heldBefore = Set.of();

	/**
	 * An application may have several, each with a prefix of its own.
	 */
	private final List<DefaultLockTemplate> templates = new CopyOnWriteArrayList<>();

	/**
	 * Create locks without a template: each template that is to use them is told so by
	 * {@link #customize} and {@link #use}.
	 */
	public TestLocks() {
	}

	/**
	 * Create locks with a template, with the documented defaults.
	 * @return the locks, to be closed
	 */
	public static TestLocks create() {
		return create((builder) -> {
		});
	}

	/**
	 * Create locks with a template.
	 * @param settings sets what the test wants to be different from the defaults, and
	 * adds no provider
	 * @return the locks, to be closed
	 */
	public static TestLocks create(Consumer<LockTemplateBuilder> settings) {
		TestLocks locks = new TestLocks();
		LockProvider local = new LocalLockProvider();
		LockTemplateBuilder builder = DefaultLockTemplate.builder()
			.provider(locks.provider(local.name(), local.capabilities(), local.leaseLimits()));
		settings.accept(builder);
		locks.customize(builder);
		locks.use(builder.build());
		return locks;
	}

	/**
	 * Return the template, for the code under test.
	 * @return the template; of several, the last that {@link #use} was told of
	 * @throws IllegalStateException if there is none yet
	 */
	public LockTemplate template() {
		List<DefaultLockTemplate> known = requireTemplates();
		return known.get(known.size() - 1);
	}

	/**
	 * Return the provider of a name, which keeps its leases in memory. Created at the
	 * first call.
	 * @param name the name of the provider that it replaces
	 * @param capabilities what it can do: it refuses what the replaced one refuses
	 * @param limits the lease times that it can keep
	 * @return the provider, for a template that {@link #customize} has seen
	 */
	public LockProvider provider(String name, Set<LockCapability> capabilities, LeaseLimits limits) {
		return this.providers.computeIfAbsent(name,
				(ignored) -> new TestLockProvider(name, capabilities, limits, this.clock));
	}

	/**
	 * Prepare a template for these locks: it gets their clock, releases each lease
	 * instead of passing it on inside the JVM, and asks the backend also while it is
	 * down, so that the call after an outage succeeds.
	 * @param builder the builder of the template
	 */
	public void customize(LockTemplateBuilder builder) {
		builder.runtime(this.clock::runtime)
			.handOverWindow(Duration.ZERO)
			.waitThroughOutage(true)
			.listener(LockListener.of(LockEvent.Waiting.class, (event) -> this.skipped.skip(this::isFullKeyWaitedFor)));
	}

	/**
	 * Say that a template uses these locks, beside those that do so already.
	 * @param template the template, built after {@link #customize}
	 */
	public void use(DefaultLockTemplate template) {
		this.templates.add(template);
	}

	/**
	 * Let another node hold a key, until the contention is closed or the test ends. Every
	 * call for the key then waits for its wait time and fails, as it does in production;
	 * {@link Contention#skipWaits()} saves the test that time.
	 * @param key the key, as {@code name:key}
	 * @return the contention, which can be closed
	 * @throws IllegalStateException if the application holds the key
	 */
	public Contention contend(String key) {
		return contend(key, fullKeys(key));
	}

	/**
	 * Let another node hold the keys of a request, as {@link #contend(String)}.
	 * @param request the request; only its name and its keys matter
	 * @return the contention, which can be closed
	 * @throws IllegalStateException if the application holds one of the keys
	 */
	public Contention contend(LockRequest request) {
		return contend(request.toString(),
				requireTemplates().stream()
					.flatMap((template) -> template.fullKeys(request).stream())
					.collect(Collectors.toSet()));
	}

	private Contention contend(String text, Collection<String> fullKeys) {
		List<Runnable> releases = new ArrayList<>();
		Contention contention = new Contention(() -> {
			this.skipped.removeAll(fullKeys);
			this.clock.settle(() -> releases.forEach(Runnable::run));
		}, () -> {
			this.skipped.addAll(fullKeys);
			// a call may wait already
			this.skipped.skip(this::isFullKeyWaitedFor);
		});
		for (TestLockProvider provider : this.providers.values()) {
			for (String fullKey : fullKeys) {
				Runnable release = provider.contend(fullKey);
				if (release == null) {
					contention.release();
					throw new IllegalStateException(
							"Another node cannot hold '%s', since the application or an earlier contention holds it. Held by the application: %s. To take a lock from the application, call expire first."
								.formatted(text, held()));
				}
				releases.add(release);
			}
		}
		this.contentions.add(contention);
		return contention;
	}

	/**
	 * Let other nodes release all keys that they hold.
	 */
	public void release() {
		this.contentions.removeIf((contention) -> {
			contention.release();
			return true;
		});
	}

	/**
	 * End the lease of a key that the application holds, as if the backend had lost it:
	 * its holders get a {@link io.distributedlock.LockLostException}, and others may
	 * acquire the key. Returns when the callbacks for the loss have been called.
	 * @param key the key, as {@code name:key}
	 * @throws IllegalStateException if the application does not hold the key
	 */
	public void expire(String key) {
		Set<String> fullKeys = fullKeys(key);
		List<TestLease> leases = leases().stream().filter((lease) -> fullKeys.contains(lease.key())).toList();
		if (leases.isEmpty()) {
			throw new IllegalStateException(
					"The lease of '%s' cannot end, since the application does not hold the lock. Held by the application: %s."
						.formatted(key, held()));
		}
		this.clock.settle(() -> leases.forEach((lease) -> lease.end("the test let its lease end")));
	}

	/**
	 * Let all providers fail: calls get a
	 * {@link io.distributedlock.LockUnavailableException} at once, and leases are not
	 * renewed, until {@link #available()} or the end of the test.
	 */
	public void unavailable() {
		this.clock.settle(() -> this.providers.values().forEach((provider) -> provider.setDown(true)));
	}

	/**
	 * Let one provider fail, as {@link #unavailable()}.
	 * @param provider its name
	 * @throws IllegalArgumentException if there is no such provider
	 */
	public void unavailable(String provider) {
		TestLockProvider found = this.providers.get(provider);
		if (found == null) {
			throw new IllegalArgumentException("There is no lock provider named '%s'. Existing providers: %s"
				.formatted(provider, new TreeSet<>(this.providers.keySet())));
		}
		this.clock.settle(() -> found.setDown(true));
	}

	/**
	 * Let all providers work again.
	 */
	public void available() {
		this.providers.values().forEach((provider) -> provider.setDown(false));
	}

	/**
	 * Let time pass for the locks, without waiting for it. Auto-renewed leases are
	 * renewed on the way, if the providers are available; others end; waits end. Returns
	 * when this was done and the callbacks have been called. A callback that blocks is
	 * waited for one second.
	 * @param time how much time
	 */
	public void advance(Duration time) {
		this.clock.advance(time);
	}

	/**
	 * Return whether the application holds a lock.
	 * @param key the key, as {@code name:key}
	 * @return {@code true} if it holds it, and the lease has not ended
	 */
	public boolean isHeld(String key) {
		Set<String> fullKeys = fullKeys(key);
		return leases().stream().anyMatch((lease) -> fullKeys.contains(lease.key()));
	}

	/**
	 * Return whether a call of the application waits for a lock.
	 * @param key the key, as {@code name:key}
	 * @return {@code true} soon after a call has begun to wait
	 */
	public boolean isWaitedFor(String key) {
		return fullKeys(key).stream().anyMatch(this::isFullKeyWaitedFor);
	}

	/**
	 * Return how often the application has acquired a lock since the test began. A
	 * re-entry does not count.
	 * @param key the key, as {@code name:key}
	 * @return the number of acquisitions
	 */
	public int acquisitions(String key) {
		Set<String> fullKeys = fullKeys(key);
		return (int) acquired().stream().filter(fullKeys::contains).count();
	}

	/**
	 * Return the keys that the application holds.
	 * @return the keys, as {@code name:key}, in their order
	 */
	public Set<String> held() {
		Set<String> held = new TreeSet<>();
		leases().forEach((lease) -> held.add(KeyTexts.of(lease.key(), starts())));
		return held;
	}

	/**
	 * Return the keys of the locks that the application has acquired since the test
	 * began, in the order of their first acquisition.
	 */
	Set<String> acquiredKeys() {
		Set<String> keys = new LinkedHashSet<>();
		acquired().forEach((fullKey) -> keys.add(KeyTexts.of(fullKey, starts())));
		return keys;
	}

	/**
	 * Begin a test: forget which locks were acquired, and note which are held.
	 */
	public void begin() {
		this.heldBefore = Set.copyOf(leases());
		this.providers.values().forEach(TestLockProvider::forget);
	}

	/**
	 * End a test: the providers work, other nodes hold nothing, and locks that were
	 * acquired since {@link #begin()} and not released are lost. The clock is not put
	 * back.
	 */
	public void reset() {
		available();
		release();
		Set<TestLease> before = this.heldBefore;
		this.clock.settle(() -> leases().stream()
			.filter((lease) -> !before.contains(lease))
			.forEach((lease) -> lease.end("the test has ended")));
		this.providers.values().forEach(TestLockProvider::forget);
	}

	@Override
	public TestLocksAssert assertThat() {
		return new TestLocksAssert(this);
	}

	/**
	 * Close the templates.
	 */
	@Override
	public void close() {
		release();
		this.templates.forEach(DefaultLockTemplate::close);
	}

	@Override
	public String toString() {
		return "TestLocks, held: " + held();
	}

	/**
	 * Return all full keys that a text may mean: the name may end at any colon.
	 */
	private Set<String> fullKeys(String key) {
		Set<String> fullKeys = new LinkedHashSet<>();
		addFullKeys(LockRequest.of(key), fullKeys);
		addFullKeys(LockRequest.ofName(key), fullKeys);
		fullKeys.add(key);
		for (int colon = key.indexOf(':'); colon >= 0; colon = key.indexOf(':', colon + 1)) {
			if (colon > 0 && colon < key.length() - 1) {
				addFullKeys(LockRequest.of(key.substring(colon + 1)).withName(key.substring(0, colon)), fullKeys);
			}
		}
		return fullKeys;
	}

	private void addFullKeys(LockRequest request, Set<String> fullKeys) {
		for (DefaultLockTemplate template : requireTemplates()) {
			try {
				fullKeys.addAll(template.fullKeys(request));
			}
			catch (InvalidLockKeyException ex) {
				// the layout of the application has no full key for it
			}
		}
	}

	/**
	 * Return what all full keys of each template begin with, if the application has no
	 * layout of its own.
	 */
	private List<String> starts() {
		Set<String> fullKeys = new LinkedHashSet<>();
		addFullKeys(LockRequest.of("x"), fullKeys);
		return fullKeys.stream().map((any) -> any.substring(0, any.length() - 1)).toList();
	}

	private boolean isFullKeyWaitedFor(String fullKey) {
		return requireTemplates().stream()
			.flatMap((template) -> template.activity().waiting().stream())
			.anyMatch((call) -> call.key().equals(fullKey));
	}

	private List<TestLease> leases() {
		return this.providers.values().stream().flatMap((provider) -> provider.held().stream()).toList();
	}

	private List<String> acquired() {
		return this.providers.values().stream().flatMap((provider) -> provider.acquired().stream()).toList();
	}

	private List<DefaultLockTemplate> requireTemplates() {
		if (this.templates.isEmpty()) {
			throw new IllegalStateException(
					"No lock template uses these test locks yet. Create them by TestLocks.create(), or annotate the test class with @AutoConfigureTestLocks.");
		}
		return this.templates;
	}

}
