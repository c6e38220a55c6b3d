package io.distributedlock.autoconfigure.endpoint;

import java.security.Principal;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.LockActivity;
import io.distributedlock.LockRequest;
import io.distributedlock.autoconfigure.endpoint.LocksEndpoint.ForcedReleaseDescriptor;
import io.distributedlock.autoconfigure.endpoint.LocksEndpoint.KeyDescriptor;
import io.distributedlock.autoconfigure.endpoint.LocksEndpoint.OwnerDescriptor;
import io.distributedlock.engine.Backends.ForcedRelease;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spring.LockForcedReleaseEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Asks a backend who has a key, and takes it from an owner that was seen there.
 *
 * @param template asks the backends
 * @param answerTime how long one answer of a backend may take
 * @param keys how keys are shown
 * @param events publishes who has taken which key
 */
record KeyOwners(DefaultLockTemplate template, Duration answerTime, ShownKeys keys, ApplicationEventPublisher events) {

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
	 * What follows the prefix in a full key.
	 */
	private static final Pattern NAME_AND_KEY = Pattern
		.compile("(?:[\\w.$#@=+,()~-]|%[0-9A-F]{2})*:(?:[\\w.$#@=+,()-]|%[0-9A-F]{2})*");

	/**
	 * Show the owners of a key.
	 * @param key the full key, or the hash of a key that this node holds or waits for
	 */
	KeyDescriptor show(String provider, String key) {
		String fullKey = fullKey(key);
		LockActivity here = this.template.activity();
		int waiters = (int) here.waiting()
			.stream()
			.filter((call) -> call.provider().equals(provider) && call.key().equals(fullKey))
			.count();
		try {
			Set<String> ownersHere = new HashSet<>();
			here.held()
				.stream()
				.filter((lock) -> lock.provider().equals(provider))
				.forEach((lock) -> lock.ownerId().ifPresent(ownersHere::add));
			List<OwnerDescriptor> owners = owners(provider, key, fullKey).stream()
				.map((owner) -> new OwnerDescriptor(ShownKeys.hash(owner.id()), LocksEndpoint.text(owner.type()),
						LocksEndpoint.boxed(owner.fencingToken()),
						owner.remaining().map(Duration::toMillis).orElse(null), ownersHere.contains(owner.id())))
				.toList();
			return new KeyDescriptor(this.keys.of(fullKey), provider, owners, waiters, null);
		}
		catch (NotAnswered ex) {
			return new KeyDescriptor(this.keys.of(fullKey), provider, null, waiters, ex.getMessage());
		}
	}

	/**
	 * Take a key from an owner.
	 * @param ownerHash the owner, as {@link #show} has shown it
	 */
	ForcedReleaseDescriptor release(String provider, String key, String ownerHash, @Nullable Principal principal) {
		String fullKey = fullKey(key);
		String who = (principal != null) ? principal.getName() : "anonymous";
		try {
			Optional<LockOwner> seen = owners(provider, key, fullKey).stream()
				.filter((owner) -> ShownKeys.hash(owner.id()).equals(ownerHash))
				.findFirst();
			if (seen.isEmpty()) {
				return told(provider, fullKey, ownerHash, who, new ForcedReleaseDescriptor("not-owner", null, null));
			}
			ForcedRelease done = answer(() -> this.template.backends().forceRelease(provider, fullKey, seen.get()));
			if (!done.released()) {
				return told(provider, fullKey, ownerHash, who, new ForcedReleaseDescriptor("not-owner", null, null));
			}
			OptionalLong token = done.fencingToken();
			this.events.publishEvent(new LockForcedReleaseEvent(fullKey, provider, seen.get().type(), token, who));
			return told(provider, fullKey, ownerHash, who,
					new ForcedReleaseDescriptor("released", LocksEndpoint.boxed(token), null));
		}
		catch (NotAnswered ex) {
			return told(provider, fullKey, ownerHash, who,
					new ForcedReleaseDescriptor("unknown", null, ex.getMessage()));
		}
	}

	/**
	 * Tell the audit of an attempt, whatever came of it.
	 */
	private ForcedReleaseDescriptor told(String provider, String fullKey, String ownerHash, String who,
			ForcedReleaseDescriptor done) {
		Map<String, @Nullable Object> data = new LinkedHashMap<>();
		data.put("provider", provider);
		// as the endpoint shows it: audit events may be shown, too
		String shown = this.keys.of(fullKey);
		if (shown != null) {
			data.put("key", shown);
		}
		data.put("owner", ownerHash);
		data.put("outcome", done.outcome());
		if (done.fencingToken() != null) {
			data.put("fencingToken", done.fencingToken());
		}
		this.events.publishEvent(new AuditApplicationEvent(who, FORCED_RELEASE, data));
		return done;
	}

	/**
	 * Return the full key for what the endpoint shows of a key.
	 */
	private String fullKey(String shown) {
		if (!shown.startsWith(ShownKeys.HASH_PREFIX)) {
			return escaped(shown);
		}
		LockActivity here = this.template.activity();
		return Stream
			.concat(here.held().stream().map(LockActivity.Held::key),
					here.waiting().stream().map(LockActivity.Waiting::key))
			.filter((key) -> (ShownKeys.HASH_PREFIX + ShownKeys.hash(key)).equals(shown))
			.findFirst()
			.orElseThrow(() -> {
				String reason = "This node neither holds nor waits for a key with the hash '%s'. Ask for the full key, or ask a node that shows this hash"
					.formatted(shown);
				return new InvalidEndpointRequestException(reason, reason);
			});
	}

	/**
	 * Return the full key for one whose escapes were lost: the server decodes the percent
	 * signs in the path of an address. Without this nobody would ever have such a key.
	 */
	private String escaped(String key) {
		String none = this.template.fullKeys(LockRequest.of("x")).get(0);
		// prefix, empty name, key
		String prefix = none.endsWith("::x") ? none.substring(0, none.length() - 2) : "";
		if (!key.startsWith(prefix)) {
			return key;
		}
		String rest = key.substring(prefix.length());
		int end = rest.indexOf(':');
		if (end < 0 || rest.substring(end + 1).isBlank() || NAME_AND_KEY.matcher(rest).matches()) {
			return key;
		}
		String name = rest.substring(0, end);
		LockRequest request = LockRequest.of(rest.substring(end + 1));
		return this.template.fullKeys(name.isBlank() ? request : request.withName(name)).get(0);
	}

	private List<LockOwner> owners(String provider, String asked, String fullKey) throws NotAnswered {
		List<LockOwner> owners = answer(() -> this.template.backends().owners(provider, fullKey));
		if (owners.isEmpty() && !asked.startsWith(ShownKeys.HASH_PREFIX) && !asked.equals(fullKey)) {
			throw new NotAnswered(
					"nobody has the key '%s', but the address may mean another: '%s' is no full key. Write each percent sign of the full key as %%25"
						.formatted(fullKey, asked),
					null);
		}
		return owners;
	}

	private <T> T answer(Question<T> question) throws NotAnswered {
		try {
			return question.ask().get(this.answerTime.multipliedBy(ANSWERS).toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (IllegalArgumentException ex) {
			String reason = String.valueOf(ex.getMessage());
			throw new InvalidEndpointRequestException(reason, reason, ex);
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

	/**
	 * Asks a backend.
	 */
	@FunctionalInterface
	private interface Question<T> {

		CompletableFuture<T> ask();

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
