package io.distributedlock.benchmarks.contention.contender;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;

/**
 * The least that a line of waiters costs on etcd, as the limit of a run: one lease for
 * each JVM, one watch on all keys that is opened once, and for each section a transaction
 * that joins the line and reads it, and a delete. There is nothing that makes a lock
 * safe.
 */
final class EtcdPrototype implements Contender {

	private static final long LEASE_SECONDS = 300;

	private static final String PREFIX = "prototype/";

	private final String jvm = UUID.randomUUID().toString();

	private final AtomicLong count = new AtomicLong();

	/**
	 * Names to use again: etcd reads past every name that it has not compacted.
	 */
	private final Queue<Long> free = new ConcurrentLinkedQueue<>();

	private final Predecessors predecessors = new Predecessors();

	private final KV keys;

	private final PutOption lease;

	EtcdPrototype(String url) {
		Client client = Client.builder().endpoints(url).build();
		this.keys = client.getKVClient();
		this.lease = PutOption.builder()
			.withLeaseId(client.getLeaseClient().grant(LEASE_SECONDS).join().getID())
			.build();
		client.getWatchClient()
			.watch(bytes(PREFIX), WatchOption.builder().isPrefix(true).withNoPut(true).withPrevKV(true).build(),
					Watch.listener((response) -> response.getEvents().forEach(this::ended)));
	}

	@Override
	public Hold lock(String key, Duration wait) throws Exception {
		String line = PREFIX + key + "/";
		Long known = this.free.poll();
		long number = (known != null) ? known : this.count.incrementAndGet();
		ByteSequence own = bytes(line + this.jvm + number);
		GetOption wholeLine = GetOption.builder()
			.isPrefix(true)
			.withSortField(GetOption.SortTarget.CREATE)
			.withSortOrder(GetOption.SortOrder.DESCEND)
			.withLimit(2)
			.withKeysOnly(true)
			.build();
		TxnResponse joined = this.keys.txn()
			.Then(Op.put(own, ByteSequence.EMPTY, this.lease), Op.get(bytes(line), wholeLine))
			.commit()
			.get();
		for (KeyValue entry : joined.getGetResponses().get(0).getKvs()) {
			if (!entry.getKey().equals(own)) {
				this.predecessors.awaitEnd(Long.toString(entry.getCreateRevision()));
			}
		}
		return () -> {
			this.keys.delete(own).get();
			this.free.add(number);
		};
	}

	private void ended(WatchEvent event) {
		this.predecessors.ended(Long.toString(event.getPrevKV().getCreateRevision()));
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

}
