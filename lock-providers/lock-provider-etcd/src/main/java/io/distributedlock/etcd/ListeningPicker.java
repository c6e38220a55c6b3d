package io.distributedlock.etcd;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.grpc.ClientStreamTracer;
import io.grpc.Deadline;
import io.grpc.LoadBalancer.PickResult;
import io.grpc.LoadBalancer.PickSubchannelArgs;
import io.grpc.LoadBalancer.Subchannel;
import io.grpc.LoadBalancer.SubchannelPicker;
import io.grpc.Metadata;
import io.grpc.Status;

/**
 * Listens to the connections that requests go to. Reports a connection as silent if a
 * request on it reached its deadline without an answer, and nothing else arrived on it
 * since that request was sent.
 * <p>
 * Why: docs/decisions/032-silent-connections.md
 */
final class ListeningPicker extends SubchannelPicker {

	private final SubchannelPicker picker;

	private final Runnable onSilence;

	private final Map<Subchannel, Listener> listeners = new ConcurrentHashMap<>();

	ListeningPicker(SubchannelPicker picker, Runnable onSilence) {
		this.picker = picker;
		this.onSilence = onSilence;
	}

	@Override
	public PickResult pickSubchannel(PickSubchannelArgs args) {
		PickResult result = this.picker.pickSubchannel(args);
		Subchannel subchannel = result.getSubchannel();
		if (subchannel == null || result.getStreamTracerFactory() != null) {
			return result;
		}
		return PickResult.withSubchannel(subchannel,
				this.listeners.computeIfAbsent(subchannel, (key) -> new Listener(this.onSilence)));
	}

	/**
	 * Listens to one connection.
	 */
	private static final class Listener extends ClientStreamTracer.Factory {

		private final Runnable onSilence;

		private volatile long heardAt = System.nanoTime();

		private Listener(Runnable onSilence) {
			this.onSilence = onSilence;
		}

		@Override
		public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
			long begunAt = System.nanoTime();
			Deadline deadline = info.getCallOptions().getDeadline();
			return new ClientStreamTracer() {

				@Override
				public void inboundMessage(int number) {
					Listener.this.heardAt = System.nanoTime();
				}

				@Override
				public void inboundTrailers(Metadata trailers) {
					Listener.this.heardAt = System.nanoTime();
				}

				@Override
				public void streamClosed(Status status) {
					// gRPC gives the status of an expired deadline to the caller alone
					boolean late = !status.isOk() && deadline != null && deadline.isExpired();
					if (late && Listener.this.heardAt - begunAt <= 0) {
						Listener.this.onSilence.run();
					}
				}

			};
		}

	}

}
