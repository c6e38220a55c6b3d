package io.distributedlock.examples;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockContext;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecipesExampleTests extends OnEveryProvider {

	private static final List<String> SHIPPED = new CopyOnWriteArrayList<>();

	private static final Set<String> PAID = ConcurrentHashMap.newKeySet();

	private static final Map<String, String> TOKENS = new ConcurrentHashMap<>();

	@BeforeEach
	void reset() {
		SHIPPED.clear();
		PAID.clear();
		TOKENS.put("app", "token-0");
	}

	@Test
	void callbackThatComesTwiceAtOnceShipsOnce() throws Exception {
		Recipes first = recipes();
		Recipes second = recipes();
		CompletableFuture
			.allOf(CompletableFuture.runAsync(() -> first.paid("42")),
					CompletableFuture.runAsync(() -> second.paid("42")))
			.get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(SHIPPED).containsExactly("42");
	}

	@Test
	void tokenIsFetchedOnceForAllThatHaveSeenTheOldOne() {
		assertThat(recipes().refresh("app", "token-0")).isEqualTo("token-1");
		assertThat(recipes().refresh("app", "token-0")).isEqualTo("token-1");
	}

	@Test
	void tenantsHaveLocksOfTheirOwn() {
		recipes().bill("acme", "May");
		assertThat(SHIPPED).singleElement().asString().endsWith("invoice:acme.May");
	}

	private Recipes recipes() {
		return node(Recipes.class, Shop.class).getBean(Recipes.class);
	}

	/**
	 * What all nodes share.
	 */
	static class Shop implements Recipes.Orders, Recipes.Tokens {

		@Override
		public boolean isPaid(String orderId) {
			return PAID.contains(orderId);
		}

		@Override
		public void ship(String orderId) {
			SHIPPED.add(orderId);
		}

		@Override
		public void markPaid(String orderId) {
			PAID.add(orderId);
		}

		@Override
		public void bill(String tenant, String month) {
			SHIPPED.add(LockContext.current().key());
		}

		@Override
		public String read(String appId) {
			return TOKENS.get(appId);
		}

		@Override
		public String fetch(String appId) {
			return "token-" + (Integer.parseInt(TOKENS.get(appId).substring(6)) + 1);
		}

		@Override
		public void write(String appId, String token) {
			TOKENS.put(appId, token);
		}

	}

}
