package io.distributedlock.spring;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Equal values give one key in every JVM; what cannot promise that is refused wherever it
 * stands in a key. Otherwise each call would have a lock of its own, or all of them the
 * same.
 */
class KeyTextTests {

	@SuppressWarnings("JavaUtilDate")
	static final List<Object> WITHOUT_TEXT = List.of(new Order(), new Generic<>(new byte[1]),
			new Generic<>(new Order()), new Generic<>(new Generic<>(new Order())), new Open(new Order()),
			new Open(new int[0]), new Several(List.of(new Order())), new Open(Optional.of(new Order())),
			new Open(Set.of("a")), new Open(Optional.of(Map.of("a", 1))), new Table(Map.of("a", 1)),
			new Open(new TreeSet<>(List.of("a"))), Map.entry("x", "y"), Optional.of(Optional.of(new Order())),
			Optional.of(Set.of("a")), new AtomicReference<>("a"), new Date(0), Order.class, new Page(),
			new IllegalStateException("a"), proxy(new Order()), proxy(new Spoken()), interfaceProxy(),
			(Runnable) () -> {
			}, List.of(new Open(new Order())), Clock.systemUTC(), InstantSource.system(), new Open(Clock.systemUTC()),
			new DateTimeException("a"), URI.create("urn:x"), new Locale("no", "NO", "NY"), new Locale("a"));

	/**
	 * Values and their texts.
	 */
	static final Map<Object, String> WITH_TEXT = Map.ofEntries(Map.entry("a", "a"), Map.entry(1, "1"),
			Map.entry(2L, "2"), Map.entry('c', "c"), Map.entry(true, "true"), Map.entry(Colour.RED, "RED"),
			Map.entry(new BigDecimal("1.50"), "1.50"), Map.entry(new UUID(1, 2), new UUID(1, 2).toString()),
			Map.entry(Instant.EPOCH, "1970-01-01T00:00:00Z"), Map.entry(ZoneId.of("Asia/Shanghai"), "Asia/Shanghai"),
			Map.entry(Locale.ROOT, "und"), Map.entry(Locale.forLanguageTag("und-Latn"), "und-Latn"),
			Map.entry(new Locale("ja", "JP", "JP"), "ja-JP-u-ca-japanese-x-lvariant-JP"), Map.entry(Locale.US, "en-US"),
			Map.entry(new StringBuilder("text"), "text"), Map.entry(new Generic<>("x"), "Generic[x]"),
			Map.entry(new Generic<@Nullable String>(null), "Generic[null]"),
			Map.entry(new Generic<>("null"), "Generic[\\'null]"), Map.entry(new Generic<>(""), "Generic[\\']"),
			Map.entry(new Generic<>("a,[b]\\"), "Generic[a\\,\\[b\\]\\\\]"),
			Map.entry(new Open(new Open(3)), "Open[Open[3]]"), Map.entry(new Open(Colour.RED), "Open[RED]"),
			Map.entry(new Several(List.of("a", Optional.of("b"))), "Several[[a,b]]"),
			Map.entry(new Open(Optional.empty()), "Open[null]"), Map.entry(new Written(new Order()), "written"),
			Map.entry(new Spoken(), "spoken"));

	private final RecordingProvider provider = new RecordingProvider();

	private final AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Keys.class);

	private final Keys keys = this.context.getBean(Keys.class);

	@AfterEach
	void close() {
		this.context.close();
	}

	@ParameterizedTest
	@FieldSource("WITHOUT_TEXT")
	void textOfAnIdentityIsRefusedWhereverItIs(Object key) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.plain(key))
			.withMessageContaining("part of a key");
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.listed(key));
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.templated(key));
		assertThat(this.provider.events()).isEmpty();
	}

	@Test
	void localeIsRefusedForItsTag() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.plain(new Locale("a")))
			.withMessageContaining("language tag");
	}

	@Test
	void textOfAValueIsAKey() {
		WITH_TEXT.forEach((key, text) -> {
			this.keys.plain(key);
			this.keys.joined(key);
			this.keys.templated(key);
			assertThat(this.provider.keys().stream().map(KeyTextTests::decoded)).as("%s", key)
				.containsExactly("t:Keys.plain:" + text, "t:Keys.joined:order-" + text,
						"t:Keys.templated:order-" + text + "-b");
			this.provider.events().clear();
		});
	}

	@Test
	void listIsOnePartAndSeveralKeys() {
		this.keys.plain(List.of("b", "a"));
		this.keys.joined(List.of("b", "a"));
		assertThat(this.provider.keys().stream().map(KeyTextTests::decoded)).containsExactly("t:Keys.plain:a",
				"t:Keys.plain:b", "t:Keys.joined:order-[b,a]");
	}

	/**
	 * The bytes of an id are not a key each.
	 */
	@Test
	void bytesAndCharactersAreNoKeys() {
		for (Object text : List.of(new byte[] { 1, 2 }, new char[] { 'a', 'b' })) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.plain(text))
				.withMessageContaining("part of a key");
		}
		this.keys.plain(new int[] { 1, 2 });
		assertThat(this.provider.keys()).containsExactly("t:Keys.plain:1", "t:Keys.plain:2");
	}

	@Test
	void anotherJvmMakesTheSameKeys(@TempDir Path folder) throws Exception {
		Path keys = folder.resolve("keys");
		ProcessBuilder other = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"),
				"-Duser.language=ar", "-Duser.country=EG", "-Duser.timezone=Asia/Shanghai",
				"-Dspring.expression.compiler.mode=IMMEDIATE", KeyTextTests.class.getName(), keys.toString())
			.redirectErrorStream(true)
			.redirectOutput(folder.resolve("log").toFile());
		other.environment()
			.put("CLASSPATH", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
		Process process = other.start();
		try {
			assertThat(process.waitFor(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		assertThat(process.exitValue()).as(Files.readString(folder.resolve("log")).replace("%", "%%")).isZero();
		assertThat(Files.readAllLines(keys)).isEqualTo(keysOfManyCalls());
	}

	public static void main(String[] args) throws IOException {
		Files.write(Path.of(args[0]), keysOfManyCalls());
	}

	private static List<String> keysOfManyCalls() {
		RecordingProvider provider = new RecordingProvider();
		try (AnnotationConfigApplicationContext context = Contexts.open(provider, false, Keys.class)) {
			Keys keys = context.getBean(Keys.class);
			WITH_TEXT.entrySet().stream().sorted(Map.Entry.comparingByValue()).map(Map.Entry::getKey).forEach((key) -> {
				keys.plain(key);
				keys.joined(key);
			});
			keys.plain(Set.of("a", "b", "c", "d"));
			for (int i = 0; i < 3; i++) {
				keys.id(new Generic<>("a"));
				keys.id(new Numbered(1));
			}
			return provider.keys();
		}
	}

	@Test
	void classesAreFoundWhateverTheThread() throws Exception {
		Thread thread = new Thread(() -> this.keys.named("a"));
		thread.setContextClassLoader(new URLClassLoader(new URL[0], null));
		thread.start();
		thread.join(Patience.LIMIT.toMillis());
		this.keys.named("b");
		assertThat(this.provider.keys()).containsExactly("t:Keys.named:named-a", "t:Keys.named:named-b");
	}

	public static String named(String key) {
		return "named-" + key;
	}

	private static String decoded(String key) {
		return URLDecoder.decode(key.replace("+", "%2B"), StandardCharsets.UTF_8);
	}

	private static Object proxy(Object target) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.setProxyTargetClass(true);
		return factory.getProxy();
	}

	private static Object interfaceProxy() {
		return Proxy.newProxyInstance(KeyTextTests.class.getClassLoader(), new Class<?>[] { Named.class },
				(proxy, method, arguments) -> "x");
	}

	@Test
	void optionalIsReplacedByItsValue() {
		this.keys.plain(Optional.of(Optional.of("a")));
		assertThat(this.provider.keys()).containsExactly("t:Keys.plain:a");
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.plain(Optional.of(Optional.empty())))
			.withMessageContaining("is null");
	}

	@Test
	void partsOfAKeyAreChecked() {
		for (Object part : List.of(new Order(), new Open(new Order()), Map.entry("x", new Order()), Set.of("a"),
				Map.of("a", 1), proxy(new Spoken()), interfaceProxy())) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.joined(part))
				.withMessageContaining("part of a key");
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.joinedBetween(part))
				.withMessageContaining("part of a key");
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.chosen(part))
				.withMessageContaining("part of a key");
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.listedAndJoined(part))
				.withMessageContaining("part of a key");
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.templated(part))
				.withMessageContaining("part of a key");
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.templatedWithPlus(part))
				.withMessageContaining("part of a key");
		}
		assertThat(this.provider.events()).isEmpty();
	}

	@Test
	void textThatIsNullIsRefusedWhereverItIs() {
		for (Object key : List.of(new Silent(), new Open(new Silent()), new Several(List.of("a", new Silent())),
				List.of("a", new Silent()), List.of(new Open(new Silent())), Optional.of(new Silent()))) {
			for (Consumer<Object> call : List.<Consumer<Object>>of(this.keys::plain, this.keys::joined,
					this.keys::joinedBetween, this.keys::templated, this.keys::templatedWithPlus, this.keys::chosen,
					this.keys::listedAndJoined, this.keys::orNone)) {
				assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> call.accept(key))
					.withMessageContaining("Silent.toString() returned null");
			}
		}
		assertThat(this.provider.events()).isEmpty();
	}

	@Test
	void partsThatAreNullAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.joined(null))
			.withMessageContaining("#key is null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.joinedBetween(null))
			.withMessageContaining("#key is null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.templated(null))
			.withMessageContaining("#key is null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.templated(Optional.empty()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.chosen(null))
			.withMessageContaining("#key is null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.listedAndJoined(null))
			.withMessageContaining("#key is null");
		assertThat(this.provider.events()).isEmpty();
		this.keys.orNone(null);
		assertThat(this.provider.keys()).containsExactly("t:Keys.orNone:order-none");
	}

	@Test
	void elementThatIsNotThereIsRefused() {
		for (Object key : List.of(List.of(), new String[0], "")) {
			assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.keys.first(key));
		}
	}

	@Test
	void methodThatFailsIsNamed() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.shortened("ab"))
			.withMessageContaining("#key.substring(0, 3)")
			.withMessageContaining("Keys.shortened")
			.withMessageContaining("The method did not run")
			.withCauseInstanceOf(StringIndexOutOfBoundsException.class);
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.conditional("ab"))
			.withMessageContaining("condition")
			.withCauseInstanceOf(StringIndexOutOfBoundsException.class);
	}

	@Test
	void partsGiveTheirKeys() {
		this.keys.joinedBetween("a");
		this.keys.chosen(1);
		this.keys.listedAndJoined("a");
		this.keys.templated("a");
		this.keys.templatedWithPlus(2);
		this.keys.added(2);
		assertThat(this.provider.keys()).containsExactly("t:Keys.joinedBetween:a-a-b", "t:Keys.chosen:order-1",
				"t:Keys.listedAndJoined:b-a", "t:Keys.listedAndJoined:c-a", "t:Keys.templated:order-a-b",
				"t:Keys.templatedWithPlus:order-3-2", "t:Keys.added:3");
	}

	@Test
	void keysOfACollectionAreCheckedOneByOne() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.keys.plain(new ArrayList<>(Arrays.asList("a", null))))
			.withMessageContaining("is null");
	}

	static class Keys {

		@DistributedLock("#key[0]")
		public void first(Object key) {
		}

		@DistributedLock("#key.substring(0, 3)")
		public void shortened(String key) {
		}

		@DistributedLock(condition = "#key.substring(0, 3) == 'abc'")
		public void conditional(String key) {
		}

		@DistributedLock("#key")
		public void plain(Object key) {
		}

		@DistributedLock("{#key}")
		public void listed(Object key) {
		}

		@DistributedLock("'order-' + #key")
		public void joined(@Nullable Object key) {
		}

		@DistributedLock("'a-' + #key + '-b'")
		public void joinedBetween(@Nullable Object key) {
		}

		@DistributedLock("order-#{#key}-b")
		public void templated(@Nullable Object key) {
		}

		@DistributedLock("order-#{#root.args.length + 2}-#{'' + #key}")
		public void templatedWithPlus(Object key) {
		}

		@DistributedLock("true ? ('order-' + #key) : 'none'")
		public void chosen(@Nullable Object key) {
		}

		@DistributedLock("{'b-' + #key, 'c-' + #key}")
		public void listedAndJoined(@Nullable Object key) {
		}

		@DistributedLock("'order-' + (#key ?: 'none')")
		public void orNone(@Nullable Object key) {
		}

		@DistributedLock("#key.id")
		public void id(Object key) {
		}

		@DistributedLock("T(io.distributedlock.spring.KeyTextTests).named(#key)")
		public void named(String key) {
		}

		@DistributedLock("#key + 1")
		public void added(int key) {
		}

	}

	enum Colour {

		RED {
			@Override
			boolean warm() {
				return true;
			}
		};

		abstract boolean warm();

		@Override
		public String toString() {
			return "red in the language of the user";
		}

	}

	interface Named {

	}

	static class Page implements Iterable<String> {

		@Override
		public Iterator<String> iterator() {
			return Collections.emptyIterator();
		}

		@Override
		public String toString() {
			return "page 1 of 3";
		}

	}

	static class Order {

	}

	static class Spoken {

		@Override
		public String toString() {
			return "spoken";
		}

	}

	record Generic<T extends @Nullable Object>(T id) {
	}

	record Numbered(int id) {
	}

	record Open(Object part) {
	}

	record Several(List<?> parts) {
	}

	record Table(Map<String, ?> parts) {
	}

	static class Silent {

		@Override
		@SuppressWarnings("ToStringReturnsNull")
		public String toString() {
			return null;
		}

	}

	record Written(Order order) {

		@Override
		public String toString() {
			return "written";
		}

	}

}
