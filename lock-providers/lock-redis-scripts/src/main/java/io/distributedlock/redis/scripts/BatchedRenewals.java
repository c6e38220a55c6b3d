package io.distributedlock.redis.scripts;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.ScriptRunner;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases that are due together with one script, on a cluster with one for each
 * slot. Each lease gets its own answer. If the server refuses a script, each lease is
 * renewed by its own, as are leases of other locks.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 *
 * @param runner runs the script
 * @param script the script
 * @param mailbox is told which owners are awaited
 * @param owners the names of the owners
 * @param counters makes the calls
 */
record BatchedRenewals(ScriptRunner runner, Script script, OwnerMessages mailbox, OwnerIds owners,
		TokenCounters counters) {

	/**
	 * How many leases the script names.
	 */
	private static final int MOST_AT_ONCE = 10;

	List<CompletionStage<@Nullable LeaseTerm>> renewAll(List<LeaseRenewal> due) {
		Map<Integer, List<Renewal>> groups = new LinkedHashMap<>();
		List<CompletionStage<@Nullable LeaseTerm>> answers = new ArrayList<>(due.size());
		for (LeaseRenewal each : due) {
			if (each.lease() instanceof LineLease lease) {
				Renewal renewal = new Renewal(lease, each, new CompletableFuture<>());
				answers.add(renewal.answer);
				groups.computeIfAbsent(this.counters.group(lease.key()), (ignored) -> new ArrayList<>()).add(renewal);
			}
			else {
				answers.add(each.lease().renew(each.leaseTime()));
			}
		}
		groups.values().forEach((renewals) -> {
			for (int from = 0; from < renewals.size(); from += MOST_AT_ONCE) {
				send(renewals.subList(from, Math.min(from + MOST_AT_ONCE, renewals.size())));
			}
		});
		return answers;
	}

	private void send(List<Renewal> renewals) {
		List<String> keys = new ArrayList<>(2 * renewals.size());
		List<String> arguments = new ArrayList<>(2 * renewals.size());
		for (Renewal renewal : renewals) {
			keys.add(renewal.lease.key());
			keys.add(TokenCounters.line(renewal.lease.key()));
			arguments.add(this.owners.owner(renewal.lease.number()));
			arguments.add(ScriptCall.millis(renewal.due.leaseTime()));
		}
		long sentAt = System.nanoTime();
		long longest = renewals.stream().mapToLong((renewal) -> renewal.due.leaseTime().toNanos()).max().orElse(0);
		int needed = (renewals.size() == 1) ? 1 : keys.size();
		ScriptCall call = this.counters.call(this.script, keys, needed, arguments).until(sentAt + longest);
		this.runner.<String>run(call).whenComplete((digits, failure) -> {
			if (failure != null && renewals.size() > 1 && this.runner.isReply(failure)) {
				// one of the keys may be the reason: it was overwritten, or its slot
				// moves
				renewals.forEach((renewal) -> send(List.of(renewal)));
				return;
			}
			for (int i = 0; i < renewals.size(); i++) {
				if (failure != null) {
					renewals.get(i).answer.completeExceptionally(this.runner.translate(failure));
				}
				else {
					onAnswer(renewals.get(i), digits.charAt(i), sentAt);
				}
			}
		});
	}

	private void onAnswer(Renewal renewal, char digit, long sentAt) {
		if (digit == '2') {
			this.mailbox.noteAwaited(renewal.lease.number());
		}
		renewal.answer.complete((digit != '0') ? new LeaseTerm(sentAt, renewal.due.leaseTime()) : null);
	}

	private record Renewal(LineLease lease, LeaseRenewal due, CompletableFuture<@Nullable LeaseTerm> answer) {
	}

}
