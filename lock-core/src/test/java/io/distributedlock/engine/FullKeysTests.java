package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockKeyLayout;
import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Layouts of the application, exact keys, and what is refused of both.
 */
class FullKeysTests {

	private static final LockKeyLayout LAYOUT = (prefix, name, key) -> switch (name) {
		case "null" -> null;
		case "fails" -> throw new IllegalStateException("broken");
		case "as it is" -> key;
		case "settle" -> "lock4j:com.shop.Orders.settle#" + key;
		default -> LockKeyLayout.DEFAULT.fullKey(prefix, name, key);
	};

	private final LocalLockProvider anyKey = new LocalLockProvider();

	private final Portable portable = new Portable();

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(this.anyKey)
		.provider(this.portable)
		.keyPrefix("shop")
		.keyLayout(LAYOUT)
		.build();

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void layoutLooksAtTheName() {
		assertThat(fullKey(LockRequest.of("42").withName("settle"))).isEqualTo("lock4j:com.shop.Orders.settle#42");
		assertThat(fullKey(LockRequest.of("42").withName("refund"))).isEqualTo("shop:refund:42");
		assertThat(fullKey(LockRequest.ofName("settle"))).isEqualTo("lock4j:com.shop.Orders.settle#");
		try (LockHandle handle = this.template.acquire(LockRequest.of("42").withName("settle"))) {
			assertThat(handle.key()).isEqualTo("lock4j:com.shop.Orders.settle#42");
		}
	}

	@Test
	void layoutIsNotAskedAtACheckSinceTheKeyIsYetToCome() {
		this.template.check(LockRequest.ofName("fails"));
	}

	@Test
	void exactKeyHasNoPrefixAndNoName() {
		LockRequest exact = LockRequest.ofExactKey("order_42").withName("fails");
		assertThat(fullKey(exact)).isEqualTo("order_42");
		assertThat(this.template.fullKeys(exact.withKeys(List.of("a b", "{t}:1")))).containsExactly("a b", "{t}:1");
		try (LockHandle handle = this.template.acquire(exact)) {
			assertThat(handle.key()).isEqualTo("order_42");
			assertThat(this.template.asLock(LockRequest.of("order_42").withName("as it is").withReentrant(false))
				.tryLock()).as("a layout with the same full key").isFalse();
		}
	}

	@Test
	void layoutThatFailsIsNamed() {
		assertRefused(LockRequest.of("k").withName("null"), "FullKeysTests", "name 'null'", "key 'k'", "is null");
		assertRefused(LockRequest.of("k").withName("fails"), "FullKeysTests", "IllegalStateException: broken");
		assertThat(this.template.tryAcquireAsync(LockRequest.of("k").withName("null"))).failsWithin(Patience.LIMIT)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(InvalidLockKeyException.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\nb", "a\u0000", "\u0085", "\u007f", "cut\ud83d", "\ude00", "a}", "a{", "{}a", "}a{b",
			"a{}{b}" })
	void whatNoProviderKeepsIsRefused(String key) {
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.template.acquire(LockRequest.ofExactKey(key)));
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.template.acquire(LockRequest.of(key).withName("as it is")));
	}

	@Test
	void lengthIsCountedInBytes() {
		this.template.acquire(LockRequest.ofExactKey("é".repeat(100))).close();
		this.template.acquire(LockRequest.ofExactKey("订".repeat(66) + "ab")).close();
		this.template.acquire(LockRequest.ofExactKey("\ud83d\ude00".repeat(50))).close();
		for (String longer : List.of("é".repeat(100) + "a", "订".repeat(66) + "abc", "\ud83d\ude00".repeat(50) + "a")) {
			assertRefused(LockRequest.ofExactKey(longer), longer, "201 bytes");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "订单42", "a b", "{tenant}:42", "a/b", ".", "..", "\u00a0", "\u3000x" })
	void whatAProviderCannotKeepIsRefusedWithTheWayOut(String key) {
		LockRequest request = LockRequest.ofExactKey(key.isBlank() ? "x" + key : key);
		try (LockHandle handle = this.template.acquire(request)) {
			assertThat(handle.key()).isEqualTo(request.key());
		}
		LockRequest onPortable = request.withProvider(this.portable.name());
		assertRefused(onPortable, "'" + request.key() + "'", "provider " + this.portable.name(), "ANY_KEY", "[local]");
		assertRefused(onPortable.withExactKey(false).withName("as it is"), "provider " + this.portable.name());
		// escaped
		try (LockHandle handle = this.template.acquire(onPortable.withExactKey(false))) {
			assertThat(this.portable.asked).as("never for the other keys").containsExactly(handle.key());
		}
	}

	@Test
	void messageShowsTheExactKeyThatItSpeaksOf() {
		assertRefused(LockRequest.ofExactKey("a{b").withName("order"),
				"The exact key 'a{b' of lock 'order' has braces");
		assertRefused(LockRequest.ofExactKey("a{b"), "The exact key 'a{b' has braces");
	}

	@Test
	void messageIsOneShortLineWhateverTheKeyIs() {
		String forged = "42\r\nINFO paid\u2028\u202e\ud83d" + "x".repeat(10_000);
		for (LockRequest request : List.of(LockRequest.ofExactKey(forged), LockRequest.of(forged).withName("as it is"),
				LockRequest.of(forged).withName("null"))) {
			assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.template.acquire(request))
				.satisfies((ex) -> assertThat(ex.getMessage())
					.contains("'42\\u000d\\u000aINFO paid\\u2028\\u202e\\ud83dxxx", "xxx…'")
					.doesNotContainPattern("\\p{Cntrl}")
					.hasSizeLessThan(1000));
		}
	}

	@Test
	void exactKeyThatIsMissingIsRefused() {
		assertRefused(LockRequest.ofName("job").withExactKey(true), "'job'", "is missing");
	}

	@Test
	void semaphoreAndLockWhoseKeyReadsLikeItAreTwo() {
		LockRequest both = LockRequest.ofExactKey("k").withPermits(3).and(LockRequest.ofExactKey("permits 3 k"));
		try (LockHandle handle = this.template.acquire(both)) {
			assertThat(handle.parts()).extracting(LockHandle::key).containsExactlyInAnyOrder("k", "permits 3 k");
		}
	}

	private String fullKey(LockRequest request) {
		return this.template.fullKeys(request).get(0);
	}

	private void assertRefused(LockRequest request, String... words) {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.template.acquire(request))
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(words));
	}

	/**
	 * Keeps only what each provider keeps.
	 */
	private static final class Portable implements LockProvider {

		private final LocalLockProvider leases = new LocalLockProvider();

		private final List<String> asked = new CopyOnWriteArrayList<>();

		@Override
		public String name() {
			return "portable";
		}

		@Override
		public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
			this.asked.add(request.key());
			return this.leases.tryAcquire(request);
		}

	}

}
