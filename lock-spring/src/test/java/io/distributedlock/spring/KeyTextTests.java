package io.distributedlock.spring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * A key with a part that is null, or has the text of an identity, is refused: each call
 * would have a lock of its own, or all of them the same.
 */
class KeyTextTests {

	static final List<Object> WITHOUT_TEXT = List.of(new Order(), new Generic<>(new byte[1]),
			new Generic<>(new Order()), new Generic<>(new Generic<>(new Order())), new Open(new Order()),
			new Open(new int[0]), new Several(List.of(new Order())), new Maybe(Optional.of(new Order())),
			new Table(Map.of("a", new Order())), Map.entry("x", new Order()), Map.entry(new Order(), "x"),
			Optional.of(Optional.of(new Order())), new AtomicReference<>(new Order()), List.of(new Open(new Order())));

	static final List<Object> WITH_TEXT = List.of("a", 1, 2L, 'c', true, Colour.RED, UUID.randomUUID(),
			new Generic<>("a"), new Generic<@Nullable String>(null), new Open(new Open(1)), new Several(List.of("a")),
			new Maybe(Optional.of("b")), new Maybe(Optional.empty()), new Table(Map.of("a", 1)), Map.entry("x", 1),
			new AtomicReference<>("a"), new Written(new Order()));

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
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.plain(key)).withMessageContaining("toString()");
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.listed(key));
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.templated(key));
		assertThat(this.provider.events()).isEmpty();
	}

	@ParameterizedTest
	@FieldSource("WITH_TEXT")
	void textOfAValueIsAKey(Object key) {
		this.keys.plain(key);
		this.keys.joined(key);
		String text = key.toString().replace("[", "%5B").replace("]", "%5D").replace("{", "%7B").replace("}", "%7D");
		assertThat(this.provider.keys()).containsExactly("t:Keys.plain:" + text, "t:Keys.joined:order-" + text);
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
		for (Object part : List.of(new Order(), new Open(new Order()), Map.entry("x", new Order()))) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.joined(part))
				.withMessageContaining("toString()");
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.joinedBetween(part))
				.withMessageContaining("toString()");
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.chosen(part))
				.withMessageContaining("toString()");
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.listedAndJoined(part))
				.withMessageContaining("toString()");
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.templatedWithPlus(part))
				.withMessageContaining("toString()");
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

	}

	static class Order {

	}

	record Generic<T extends @Nullable Object>(T id) {
	}

	record Open(Object part) {
	}

	record Several(List<?> parts) {
	}

	record Maybe(Optional<?> part) {
	}

	record Table(Map<String, ?> parts) {
	}

	record Written(Order order) {

		@Override
		public String toString() {
			return "written";
		}

	}

}
