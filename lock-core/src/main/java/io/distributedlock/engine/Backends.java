package io.distributedlock.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.UnknownLockProviderException;
import io.distributedlock.engine.internal.lease.LeaseReleaser;
import io.distributedlock.engine.internal.request.LockKeys;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.NoAnswerException;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the backends of a template what only they know, for health checks and for the
 * person who looks for the cause of an incident. Thread-safe; no method blocks. Each
 * future ends within a few command time-outs, and on a thread for callbacks. It fails
 * with what the provider failed with, or with a {@link BackendException} if the provider
 * did not answer in time. If the template is closed, it asks no provider, and the future
 * has failed already. Each method throws {@link UnknownLockProviderException} if the
 * template has no provider of that name.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 *
 * @since 0.1
 * @see DefaultLockTemplate#backends()
 */
public final class Backends {

	private static final Logger logger = LoggerFactory.getLogger(Backends.class);

	/**
	 * How long a key is taken to get the next token. It is released at once, and expires
	 * if that fails.
	 */
	private static final Duration TOKEN_LEASE = Duration.ofSeconds(1);

	private final Map<String, LockProvider> providers;

	private final EngineRuntime runtime;

	private final ProviderCalls providerCalls;

	private final LeaseReleaser releaser;

	private final BooleanSupplier closed;

	Backends(Map<String, LockProvider> providers, EngineRuntime runtime, ProviderCalls providerCalls,
			LeaseReleaser releaser, BooleanSupplier closed) {
		this.providers = providers;
		this.runtime = runtime;
		this.providerCalls = providerCalls;
		this.releaser = releaser;
		this.closed = closed;
	}

	/**
	 * Return the names of the providers that this template has.
	 * @return the names, in the order of the providers
	 */
	public Set<String> providers() {
		return Collections.unmodifiableSet(this.providers.keySet());
	}

	/**
	 * Ask the backend of a provider for an answer, without changing anything there.
	 * @param provider the name of the provider
	 * @return completes with the time from the request to the answer
	 * @see LockProvider#ping()
	 */
	public CompletableFuture<Duration> ping(String provider) {
		LockProvider asked = named(provider);
		return called(() -> {
			long askedAt = this.runtime.nanoTime();
			return this.providerCalls.<@Nullable Object>askOnThread(() -> this.providerCalls.ping(asked), (late) -> {
			}).thenApply((answer) -> Duration.ofNanos(this.runtime.nanoTime() - askedAt));
		});
	}

	/**
	 * Ask the backend of a provider who has a key, on this node or another. Changes
	 * nothing there.
	 * @param provider the name of the provider
	 * @param key the full key, with prefix and name, as errors, events and
	 * {@link DefaultLockTemplate#fullKeys} have it
	 * @return completes with the owners, none if the key is free or the provider cannot
	 * keep it; fails with {@link UnsupportedOperationException} if the backend cannot say
	 * it
	 */
	public CompletableFuture<List<LockOwner>> owners(String provider, String key) {
		LockProvider asked = named(provider);
		if (!LockKeys.isKept(key, asked.capabilities())) {
			return CompletableFuture.completedFuture(List.of());
		}
		return called(() -> this.providerCalls.askOnThread(() -> ownersOf(asked).owners(key), (late) -> {
		}).thenApply((owners) -> {
			if (owners == null || owners.stream().anyMatch(Objects::isNull)) {
				throw new BackendException("lock provider '%s' returned null instead of %s".formatted(provider,
						(owners != null) ? "an owner" : "the owners"), false, null);
			}
			return List.copyOf(owners);
		}));
	}

	/**
	 * Take a key away from an owner that does not release it, such as a node that hangs
	 * and renews its leases. <b>That node may still work on what the key protects</b>: it
	 * learns of the loss at its next renewal, or not at all if its lease is not renewed.
	 * So the next fencing token is fetched, too: a resource that has seen it refuses the
	 * owner that lost the key. A warning with the key goes to the log.
	 * @param provider the name of the provider
	 * @param key the full key
	 * @param owner the owner as {@link #owners} returned it. If it no longer has the key,
	 * nothing changes
	 * @return completes with what happened; fails with
	 * {@link UnsupportedOperationException} if the backend cannot do it. If it fails in
	 * another way, the key may have been taken away: ask for the owners again
	 */
	public CompletableFuture<ForcedRelease> forceRelease(String provider, String key, LockOwner owner) {
		LockProvider asked = named(provider);
		return called(() -> this.providerCalls.askOnThread(() -> ownersOf(asked).revoke(key, owner), (late) -> {
			if (Boolean.TRUE.equals(late)) {
				warn(asked, key);
			}
		}).thenCompose((had) -> {
			if (had == null) {
				throw new BackendException(
						"lock provider '%s' returned null instead of whether the owner had the key".formatted(provider),
						false, null);
			}
			if (!had) {
				return CompletableFuture.completedFuture(new ForcedRelease(false, OptionalLong.empty()));
			}
			warn(asked, key);
			return nextToken(asked, key, owner.type()).thenApply((token) -> new ForcedRelease(true, token));
		}));
	}

	private static void warn(LockProvider provider, String key) {
		logger.warn(
				"Lock '{}' of provider {} was taken from its owner by a forced release. Until that owner notices, it may work beside the next one.",
				key, provider.name());
	}

	/**
	 * Take the key and release it, as the next token comes with a lease.
	 * @return completes with the token; empty if others have the key, or if it could not
	 * be fetched
	 */
	private CompletableFuture<OptionalLong> nextToken(LockProvider provider, String key, LockType type) {
		if (type == LockType.SEMAPHORE || !provider.capabilities().contains(LockCapability.FENCING)) {
			return CompletableFuture.completedFuture(OptionalLong.empty());
		}
		Duration shortest = provider.leaseLimits().shortest();
		LeaseRequest request = new LeaseRequest(key, (shortest.compareTo(TOKEN_LEASE) > 0) ? shortest : TOKEN_LEASE,
				LockType.EXCLUSIVE, 1, this.runtime.nanoTime() + this.providerCalls.commandTimeoutNanos());
		return this.providerCalls.<@Nullable Lease>askOnThread(() -> provider.tryAcquire(request), this::release)
			.handle((lease, failure) -> {
				if (failure != null) {
					Failures.log(logger::warn,
							"The next fencing token of lock '{}' of provider {} could not be fetched", key,
							provider.name(), failure);
				}
				if (lease == null) {
					return OptionalLong.empty();
				}
				release(lease);
				return lease.fencingToken();
			});
	}

	private void release(@Nullable Lease lease) {
		if (lease != null) {
			this.releaser.releaseInBackground(lease);
		}
	}

	private static LockOwners ownersOf(LockProvider provider) {
		if (provider instanceof LockOwners owners) {
			return owners;
		}
		throw new UnsupportedOperationException(
				"Lock provider '%s' cannot tell who has a key. Ask its backend with the tools of that backend"
					.formatted(provider.name()));
	}

	private LockProvider named(String provider) {
		LockProvider named = this.providers.get(provider);
		if (named == null) {
			throw new UnknownLockProviderException(provider, this.providers.keySet());
		}
		return named;
	}

	/**
	 * Return a future that completes as another one, but on a thread for callbacks: what
	 * depends on it is code of the user.
	 */
	private <T> CompletableFuture<T> called(Supplier<CompletableFuture<T>> asked) {
		if (this.closed.getAsBoolean()) {
			return CompletableFuture.failedFuture(
					new BackendException("the lock template is closed, so that it asks no provider", false, null));
		}
		CompletableFuture<T> result = new CompletableFuture<>();
		Failures.translated(asked.get(), this::explained)
			.whenComplete(
					(value, failure) -> this.runtime.callBack(() -> Failures.settle(result, value, failure), null));
		return result;
	}

	/**
	 * A template that closes ends each wait for an answer, however long it has lasted.
	 */
	private Throwable explained(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		return (cause instanceof NoAnswerException && this.closed.getAsBoolean()) ? new BackendException(
				"the lock template was closed before the provider had answered. The backend may have carried out the command",
				false, cause) : cause;
	}

	/**
	 * What a forced release has done.
	 *
	 * @param released whether the owner had the key until then
	 * @param fencingToken a token that is higher than those of the owner that lost the
	 * key: a resource that has seen it refuses that owner. Empty if nothing was released,
	 * if the provider or lock type has no tokens, if others have the key (one that has it
	 * alone has a higher token, too), or if the token could not be fetched
	 * @since 0.1
	 */
	public record ForcedRelease(boolean released, OptionalLong fencingToken) {
	}

}
