package io.distributedlock.autoconfigure.endpoint;

import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockRequest;
import io.distributedlock.UnknownLockProviderException;
import io.distributedlock.autoconfigure.endpoint.LocksEndpoint.ForcedReleaseDescriptor;
import io.distributedlock.autoconfigure.endpoint.LocksEndpoint.KeyDescriptor;
import io.distributedlock.autoconfigure.endpoint.LocksEndpoint.OwnerDescriptor;
import io.distributedlock.engine.Backends;
import io.distributedlock.engine.Backends.ForcedRelease;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockActivity;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spring.LockForcedReleaseEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.StringUtils;

/**
 * Asks a backend who has a key, and takes it from an owner that was seen there.
 *
 * @param templates ask the backends
 * @param answerTime how long one answer of a backend may take
 * @param keys how keys are shown
 * @param events publishes who has taken which key
 */
record KeyOwners(List<DefaultLockTemplate> templates, Duration answerTime, ShownKeys keys,
		ApplicationEventPublisher events) {

	/**
	 * The type of the audit event.
	 */
	static final String FORCED_RELEASE = "LOCK_FORCED_RELEASE";

	/**
	 * A forced release asks the backend up to three times. The answer comes on a thread
	 * that may be busy, which must not hold up the request.
	 */
	private static final int ANSWERS = 4;

	/**
	 * No full key has more characters.
	 */
	private static final int LONGEST_KEY = 200;

	/**
	 * Return the locks that this node holds.
	 */
	Stream<LockActivity.Held> held() {
		return this.templates.stream().flatMap((each) -> each.activity().held().stream());
	}

	/**
	 * Return the calls of this node that wait.
	 */
	Stream<LockActivity.Waiting> waiting() {
		return this.templates.stream().flatMap((each) -> each.activity().waiting().stream());
	}

	/**
	 * Show the owners of a key.
	 * @param key the full key, or the hash of a key that this node holds or waits for
	 */
	KeyDescriptor show(String provider, String key) {
		List<String> readings = readings(key);
		try {
			Seen seen = seen(provider, readings);
			Set<String> ownersHere = held().filter((lock) -> lock.provider().equals(provider))
				.flatMap((lock) -> lock.ownerId().stream())
				.collect(Collectors.toSet());
			List<OwnerDescriptor> owners = seen.owners()
				.stream()
				.map(Owner::there)
				.map((owner) -> new OwnerDescriptor(ShownKeys.hash(owner.id()), LocksEndpoint.text(owner.type()),
						LocksEndpoint.boxed(owner.fencingToken()),
						owner.remaining().map(Duration::toMillis).orElse(null), ownersHere.contains(owner.id())))
				.toList();
			return new KeyDescriptor(this.keys.of(seen.fullKey()), provider, owners,
					waiters(provider, List.of(seen.fullKey())), null);
		}
		catch (NotAnswered ex) {
			return new KeyDescriptor(this.keys.of(readings.get(0)), provider, null, waiters(provider, readings),
					ex.getMessage());
		}
	}

	private int waiters(String provider, List<String> keys) {
		return (int) waiting().filter((call) -> call.provider().equals(provider) && keys.contains(call.key())).count();
	}

	/**
	 * Take a key from an owner.
	 * @param ownerHash the owner, as {@link #show} has shown it
	 */
	ForcedReleaseDescriptor release(String provider, String key, String ownerHash, @Nullable Principal principal) {
		String who = (principal != null) ? principal.getName() : "anonymous";
		List<String> readings = readings(key);
		Seen seen = new Seen(readings.get(0), List.of());
		ForcedReleaseDescriptor done;
		try {
			seen = seen(provider, readings);
			done = release(provider, seen, ownerHash, who);
		}
		catch (NotAnswered ex) {
			done = new ForcedReleaseDescriptor("unknown", null, ex.getMessage());
		}
		tellAudit(provider, seen.fullKey(), ownerHash, who, done);
		return done;
	}

	private ForcedReleaseDescriptor release(String provider, Seen found, String ownerHash, String who)
			throws NotAnswered {
		Optional<Owner> owner = found.owners()
			.stream()
			.filter((each) -> ShownKeys.hash(each.there().id()).equals(ownerHash))
			.findFirst();
		if (owner.isPresent()) {
			LockOwner there = owner.get().there();
			ForcedRelease done = answer(() -> owner.get().backends().forceRelease(provider, found.fullKey(), there));
			if (done.released()) {
				this.events.publishEvent(
						new LockForcedReleaseEvent(found.fullKey(), provider, there.type(), done.fencingToken(), who));
				return new ForcedReleaseDescriptor("released", LocksEndpoint.boxed(done.fencingToken()), null);
			}
		}
		return new ForcedReleaseDescriptor("not-owner", null, null);
	}

	/**
	 * Tell the audit of an attempt, whatever came of it.
	 */
	private void tellAudit(String provider, String fullKey, String ownerHash, String who,
			ForcedReleaseDescriptor done) {
		Map<String, @Nullable Object> data = new LinkedHashMap<>();
		data.put("provider", provider);
		// as the endpoint shows it: audit events may be shown, too
		data.put("key", this.keys.of(fullKey));
		data.put("owner", ownerHash);
		data.put("outcome", done.outcome());
		data.put("fencingToken", done.fencingToken());
		data.values().removeIf(Objects::isNull);
		this.events.publishEvent(new AuditApplicationEvent(who, FORCED_RELEASE, data));
	}

	/**
	 * Return the full keys that a text may mean, first the text itself. The server
	 * decodes the percent signs in the path of an address, so a full key may have lost
	 * its escapes, and nobody would ever have what is left.
	 */
	private List<String> readings(String shown) {
		if (shown.startsWith(ShownKeys.HASH_PREFIX)) {
			return List.of(known(shown));
		}
		Set<String> readings = new LinkedHashSet<>(List.of(shown));
		List<String> parts = (shown.length() > LONGEST_KEY) ? List.of() : List.of(shown.split(":", -1));
		for (int key = 0; key < parts.size(); key++) {
			for (int name = 0; name <= key; name++) {
				String nameText = String.join(":", parts.subList(name, key));
				String keyText = String.join(":", parts.subList(key, parts.size()));
				this.templates.forEach((each) -> readings.addAll(escaped(each, nameText, keyText, shown)));
			}
		}
		return List.copyOf(readings);
	}

	/**
	 * Return the full key of a name and a key, if it reads like the text without its
	 * escapes.
	 */
	private static List<String> escaped(DefaultLockTemplate template, String name, String key, String shown) {
		try {
			LockRequest request = LockRequest.of(key);
			String fullKey = template.fullKeys(name.isEmpty() ? request : request.withName(name)).get(0);
			return StringUtils.uriDecode(fullKey, StandardCharsets.UTF_8).equals(shown) ? List.of(fullKey) : List.of();
		}
		catch (IllegalArgumentException ex) {
			// no key, or none for the layout of the application
			return List.of();
		}
	}

	/**
	 * Return the full key with a hash.
	 */
	private String known(String hash) {
		return Stream.concat(held().map(LockActivity.Held::key), waiting().map(LockActivity.Waiting::key))
			.filter((key) -> (ShownKeys.HASH_PREFIX + ShownKeys.hash(key)).equals(hash))
			.findFirst()
			.orElseThrow(() -> refused(new IllegalArgumentException(
					"This node neither holds nor waits for a key with the hash '%s'. Ask for the full key, or ask a node that shows this hash"
						.formatted(hash))));
	}

	/**
	 * Ask for the owners of each of several keys until one of them has some. Templates
	 * may call different backends the same, or share one.
	 */
	private Seen seen(String provider, List<String> readings) throws NotAnswered {
		List<Backends> all = this.templates.stream().map(DefaultLockTemplate::backends).toList();
		List<Backends> having = all.stream().filter((each) -> each.providers().contains(provider)).toList();
		if (having.isEmpty()) {
			throw refused(new UnknownLockProviderException(provider,
					all.stream().flatMap((each) -> each.providers().stream()).toList()));
		}
		for (String each : readings) {
			Map<String, Owner> owners = new LinkedHashMap<>();
			for (Backends asked : having) {
				answer(() -> asked.owners(provider, each))
					.forEach((owner) -> owners.putIfAbsent(owner.id(), new Owner(owner, asked)));
			}
			if (!owners.isEmpty()) {
				return new Seen(each, List.copyOf(owners.values()));
			}
		}
		return new Seen(readings.get(0), List.of());
	}

	private <T> T answer(Supplier<CompletableFuture<T>> question) throws NotAnswered {
		try {
			return question.get().get(this.answerTime.multipliedBy(ANSWERS).toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (IllegalArgumentException ex) {
			throw refused(ex);
		}
		catch (ExecutionException ex) {
			Throwable failure = (ex.getCause() != null) ? ex.getCause() : ex;
			boolean ours = failure instanceof BackendException || failure instanceof UnsupportedOperationException;
			// the message of another exception may quote an address with its password
			throw new NotAnswered(failure.getClass().getName() + (ours ? ": " + failure.getMessage() : ""), ex);
		}
		catch (TimeoutException ex) {
			throw new NotAnswered("no answer in time", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new NotAnswered("interrupted", ex);
		}
	}

	private static InvalidEndpointRequestException refused(IllegalArgumentException ex) {
		String reason = String.valueOf(ex.getMessage());
		return new InvalidEndpointRequestException(reason, reason, ex);
	}

	/**
	 * The owners of a key, none if it is free.
	 */
	private record Seen(String fullKey, List<Owner> owners) {
	}

	/**
	 * An owner, and what has told of it.
	 */
	private record Owner(LockOwner there, Backends backends) {
	}

	/**
	 * A backend has not answered, or has failed. The message may be shown.
	 */
	private static final class NotAnswered extends Exception {

		private static final long serialVersionUID = 1L;

		private NotAnswered(String message, @Nullable Throwable cause) {
			super(message, cause);
		}

	}

}
