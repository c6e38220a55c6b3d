package io.distributedlock.etcd;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockType;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.support.Failures;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;

/**
 * Says who has a key by the keys in etcd, and deletes the key of an owner. How long an
 * owner still has its key is not known: the etcd lease is that of many locks, and may run
 * longer.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 */
final class EtcdOwners implements LockOwners {

	private static final Pattern ID = Pattern.compile("(.+)@(\\d{1,18})");

	private final EtcdCalls calls;

	private final String prefix;

	/**
	 * Create it.
	 * @param prefix what the keys of all locks start with
	 */
	EtcdOwners(EtcdCalls calls, String prefix) {
		this.calls = calls;
		this.prefix = prefix;
	}

	/**
	 * Return what names the owner of a key in etcd.
	 * @param revision the revision at which it was created
	 */
	static String idOf(ByteSequence name, long revision) {
		return name.toString() + '@' + revision;
	}

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		String locks = LockKeys.prefixOf(this.prefix, key, LockType.EXCLUSIVE);
		String permits = LockKeys.prefixOf(this.prefix, key, LockType.SEMAPHORE);
		GetOption all = GetOption.builder().isPrefix(true).withSortField(GetOption.SortTarget.CREATE).build();
		CompletionStage<TxnResponse> read = this.calls.read(Op.get(EtcdCalls.bytes(locks), all),
				Op.get(EtcdCalls.bytes(permits), all));
		return Failures.translated(read, EtcdErrors::translate).thenApply((response) -> {
			List<LockOwner> owners = new ArrayList<>();
			add(owners, locks, false, response.getGetResponses().get(0));
			add(owners, permits, true, response.getGetResponses().get(1));
			return owners;
		});
	}

	private static void add(List<LockOwner> owners, String lock, boolean semaphore, GetResponse found) {
		for (KeyValue each : found.getKvs()) {
			if (LockKeys.of(lock, each).isFreeAmong(found.getKvs(), each.getCreateRevision())) {
				LockType type = semaphore ? LockType.SEMAPHORE
						: (LockKeys.excludesReaders(EtcdCalls.bytes(lock), each) ? LockType.EXCLUSIVE : LockType.READ);
				OptionalLong token = semaphore ? OptionalLong.empty()
						: OptionalLong.of(EtcdLease.lastTokenOf(each.getCreateRevision()));
				owners.add(new LockOwner(idOf(each.getKey(), each.getCreateRevision()), type, token, Optional.empty()));
			}
		}
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		Matcher id = ID.matcher(owner.id());
		if (!id.matches() || !id.group(1).startsWith(LockKeys.prefixOf(this.prefix, key, owner.type()))) {
			// that is no owner of this key
			return CompletableFuture.completedFuture(false);
		}
		ByteSequence name = EtcdCalls.bytes(id.group(1));
		return Failures.translated(this.calls.deleteIfCreatedAt(name, Long.parseLong(id.group(2))),
				EtcdErrors::translate);
	}

}
