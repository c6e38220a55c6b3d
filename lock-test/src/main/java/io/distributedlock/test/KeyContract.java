package io.distributedlock.test;

import java.text.Normalizer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Checks that different keys are different locks on the backend, whatever characters they
 * have. The keys are random. A failure prints the seed, and {@code -Dlock.kit.seed}
 * repeats it.
 */
abstract class KeyContract extends NodeContract {

	/**
	 * How many locks a case holds at a time: a provider may need a connection for each.
	 */
	private static final int AT_A_TIME = 16;

	private static final List<String> WORDS = List.of("order", "Straße", "I", "i", "é", "ﬁ", "ключ", "日本",
			"\uD83D\uDD12", "Å", "0", "null", "a.b", "$", "~sha256~");

	private static final List<String> SEPARATORS = List.of(":", "/", "\\", "%", "%25", "%3A", "_", "-", ".", "..", "*",
			"?", "{", "}", "[", "]", "'", "\"", ";", ",", "|", "\u0000", "\n", "\r\n", "\t", "\u00A0", "\u200B", " ",
			"@", "#", "~", "+", "=", "&", "<", ">", "(", ")", "^");

	/**
	 * Suffixes that providers add to a key for entries of their own, or might add.
	 */
	private static final List<String> SUFFIXES = List.of("permits", "token", "fence", "queue", "readers", "writers",
			"timeout", "channel", "owner", "latch", "read", "write", "fair", "lock", "mutex", "leases",
			"rwlock_timeout");

	@Test
	final void differentKeysNeverShareALock() {
		long seed = KitSeed.next();
		Random random = new Random(seed);
		List<LockTemplate> nodes = List.of(node(), node((settings) -> settings.keyPrefix("")));
		for (int round = 0; round < (THOROUGH ? 500 : 12); round++) {
			LockTemplate node = nodes.get(round % nodes.size());
			List<LockRequest> requests = family(random);
			List<LockHandle> handles = new ArrayList<>();
			try {
				for (LockRequest request : requests) {
					takeFree(node, request, seed, requests, handles);
				}
				assertThat(handles).extracting(LockHandle::key)
					.allSatisfy((key) -> assertThat(key).matches("[\\x21-\\x7e]{1,200}"));
			}
			finally {
				handles.forEach((handle) -> get(handle.closeAsync()));
			}
		}
	}

	/**
	 * Keys that the engine does not escape: printable ASCII on each provider, and any
	 * text where the provider declares that. Otherwise it is not asked for such a key.
	 */
	@Test
	final void keysOfOtherLayoutsAreKeptAsTheyAreOrRefused() {
		DefaultLockTemplate node = node();
		DefaultLockTemplate other = node();
		String base = mark();
		assertKept(node, other, base + "!\"$%&'()*+,-.:;<=>?@[\\]^_`|~#");
		for (String key : List.of("订单" + base, "{" + base + "}:42", base + "{t}:a b/\uD83D\uDD12",
				base + " {t}:a b/é ")) {
			if (isCapableOf(LockCapability.ANY_KEY)) {
				assertKept(node, other, key);
			}
			else {
				assertThatExceptionOfType(InvalidLockKeyException.class)
					.isThrownBy(() -> node.acquire(LockRequest.ofExactKey(key)))
					.withMessageContaining("'" + key + "'");
			}
		}
	}

	/**
	 * Check that a key excludes the other node in each lock type, and is handed over to
	 * it.
	 */
	private void assertKept(DefaultLockTemplate node, DefaultLockTemplate other, String key) {
		for (LockType type : types()) {
			LockRequest request = requestForKey(type, key).withExactKey(true);
			LockRequest conflicting = (type == LockType.READ) ? request.withType(LockType.WRITE) : request;
			LockHandle handle = get(node.acquireAsync(request));
			assertThat(handle.key()).isEqualTo(key);
			assertThat(get(other.tryAcquireAsync(conflicting))).as("%s", request).isEmpty();
			CompletableFuture<LockHandle> waiting = other.acquireAsync(conflicting);
			Patience.await().until(() -> !other.activity().waiting().isEmpty());
			get(handle.closeAsync());
			get(get(waiting).closeAsync());
		}
	}

	/**
	 * A server may keep who waits for a lock beside it, under a name with braces.
	 */
	@Test
	final void releaseOfAKeyInBracesDoesNotGrantTheKey() {
		Assumptions.assumeTrue(isCapableOf(LockCapability.ANY_KEY));
		LockTemplate node = node();
		DefaultLockTemplate other = node();
		LockRequest inside = LockRequest.ofExactKey(mark());
		LockRequest braced = inside.withKey("{" + mark() + "}");
		LockHandle held = get(node.acquireAsync(inside));
		LockHandle another = get(node.acquireAsync(braced));
		CompletableFuture<LockHandle> waiting = other.acquireAsync(inside);
		Patience.await().until(() -> !other.activity().waiting().isEmpty());
		get(another.closeAsync());
		get(get(node.acquireAsync(braced)).closeAsync());
		assertThat(waiting).isNotDone();
		get(held.closeAsync());
		get(get(waiting).closeAsync());
	}

	/**
	 * Acquire a lock that must be free. A provider may refuse a key that it cannot
	 * distinguish from others, but must not mix it up with another key.
	 */
	private void takeFree(LockTemplate node, LockRequest request, long seed, List<LockRequest> family,
			List<LockHandle> handles) {
		try {
			// with a wait time a failure that passes is no failure; one key too many is
			// seen
			handles.add(node.tryAcquireAsync(request.withWaitTime(Duration.ofSeconds(10)))
				.join()
				.orElseThrow(() -> new AssertionError("%s is the same lock as another one of %s, seed %s"
					.formatted(readable(request), family.stream().map(KeyContract::readable).toList(), seed))));
		}
		catch (IllegalArgumentException ex) {
			assertThat(hasLoneSurrogate(request)).as("%s is refused: %s", readable(request), ex).isTrue();
		}
		catch (CompletionException ex) {
			assertThat(ex.getCause()).as("%s", readable(request)).isInstanceOf(IllegalArgumentException.class);
			assertThat(hasLoneSurrogate(request)).as("%s is refused", readable(request)).isTrue();
		}
	}

	/**
	 * Describe a request with all characters beyond ASCII as their code points.
	 */
	private static String readable(LockRequest request) {
		StringBuilder text = new StringBuilder();
		"%s of name '%s', key '%s'".formatted(request.type(), request.name(), request.key())
			.chars()
			.forEach((unit) -> text.append((unit >= ' ' && unit <= '~') ? (char) unit : "\\u%04X".formatted(unit)));
		return text.toString();
	}

	private static boolean hasLoneSurrogate(LockRequest request) {
		String text = request.name() + ' ' + request.key();
		return text.codePoints().anyMatch((point) -> point >= 0xD800 && point <= 0xDFFF);
	}

	/**
	 * Return different requests whose keys are easily mixed up.
	 */
	private List<LockRequest> family(Random random) {
		// a part that no other round and no other case uses
		String base = mark() + "-" + Long.toHexString(System.nanoTime()) + pick(random, WORDS);
		List<Function<String, String>> changes = changes(random);
		Set<Identity> seen = new HashSet<>();
		List<LockRequest> requests = new ArrayList<>();
		// always some keys that databases and encoders mix up
		Deque<String> always = new ArrayDeque<>(
				List.of(base, base + " ", base + "?", base + "\uD800", base + "\uDFFF"));
		while (requests.size() < AT_A_TIME) {
			String key = base;
			for (int i = random.nextInt(3); i > 0; i--) {
				key = pick(random, changes).apply(key);
			}
			key = always.isEmpty() ? key : always.pop();
			LockRequest request = LockRequest.of(key);
			int cut = random.nextInt(key.length());
			if (random.nextInt(3) == 0 && !key.substring(0, cut).isBlank() && !key.substring(cut).isBlank()) {
				request = LockRequest.of(key.substring(cut)).withName(key.substring(0, cut));
			}
			else if (random.nextInt(4) == 0) {
				request = LockRequest.of(pick(random, SUFFIXES)).withName(key);
			}
			LockType type = pick(random, types());
			request = (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
			if (seen.add(new Identity(request.name(), request.key(), type == LockType.SEMAPHORE))) {
				requests.add(request);
			}
		}
		return requests;
	}

	private static List<Function<String, String>> changes(Random random) {
		String separator = pick(random, SEPARATORS);
		String suffix = pick(random, SUFFIXES);
		String filler = "x".repeat(150 + random.nextInt(60));
		return List.of((key) -> key.toUpperCase(Locale.ROOT), (key) -> key.toLowerCase(Locale.ROOT),
				(key) -> Normalizer.normalize(key, Normalizer.Form.NFC),
				(key) -> Normalizer.normalize(key, Normalizer.Form.NFD),
				(key) -> Normalizer.normalize(key, Normalizer.Form.NFKC), (key) -> key + " ", (key) -> " " + key,
				(key) -> key + separator, (key) -> separator + key, (key) -> key + separator + key,
				(key) -> key + ":" + suffix, (key) -> suffix + ":" + key, (key) -> "{" + key + "}:" + suffix,
				(key) -> key + "\u0000", (key) -> key + "\n", (key) -> key + "?", (key) -> key + "\uD800",
				(key) -> key + "\uDFFF", (key) -> key + filler, (key) -> key + filler + "1", (key) -> filler + key,
				(key) -> key + "%", (key) -> key.replace(":", "%3A"), (key) -> key.replace("é", "e"),
				(key) -> key.substring(0, key.length() - 1) + "_");
	}

	private static <T> T pick(Random random, List<T> values) {
		return values.get(random.nextInt(values.size()));
	}

	/**
	 * What identifies a lock: its name, its key, and whether it is a semaphore.
	 */
	private record Identity(String name, String key, boolean semaphore) {
	}

}
