package io.distributedlock.etcd;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.grpc.ConnectivityState;
import io.grpc.LoadBalancer;
import io.grpc.LoadBalancerRegistry;
import io.grpc.Status;
import io.grpc.SynchronizationContext.ScheduledHandle;
import io.grpc.util.ForwardingLoadBalancerHelper;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the servers in turn, by gRPC's own policy. Where that policy finds no
 * connection, or one that has fallen silent, this class replaces it by a new one, which
 * opens new connections. gRPC itself waits longer and longer between two tries to
 * connect, up to two minutes, and needs at least twelve seconds to see that a connection
 * has fallen silent.
 * <p>
 * All methods are called in gRPC's synchronization context, one after the other.
 * <p>
 * Why: docs/decisions/032-silent-connections.md
 */
final class PromptBalancer extends LoadBalancer {

	/**
	 * How long to wait after a failed try to connect. Shorter than the time after which
	 * gRPC tries again for the first time, so that no try is interrupted.
	 */
	private static final Duration PAUSE = Duration.ofMillis(500);

	/**
	 * How long a try to connect may take, and the shortest time between two replacements
	 * because of silence. Long enough for a server that is only slow: new connections
	 * would not help it.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final Helper helper;

	private Life current;

	private @Nullable ResolvedAddresses addresses;

	PromptBalancer(Helper helper) {
		this.helper = helper;
		this.current = new Life();
	}

	@Override
	public Status acceptResolvedAddresses(ResolvedAddresses resolved) {
		// the configuration is that of this policy, not of gRPC's own
		this.addresses = resolved.toBuilder().setLoadBalancingPolicyConfig(null).build();
		return this.current.balancer.acceptResolvedAddresses(this.addresses);
	}

	@Override
	public void handleNameResolutionError(Status error) {
		this.current.balancer.handleNameResolutionError(error);
	}

	@Override
	public void requestConnection() {
		this.current.balancer.requestConnection();
	}

	@Override
	public void shutdown() {
		this.current.end();
	}

	private void replace(Life failed) {
		ResolvedAddresses known = this.addresses;
		if (failed != this.current || failed.ended || known == null) {
			return;
		}
		failed.end();
		this.helper.updateBalancingState(ConnectivityState.CONNECTING,
				new FixedResultPicker(PickResult.withNoResult()));
		this.current = new Life();
		this.current.balancer.acceptResolvedAddresses(known);
		// the servers may have other addresses now
		this.helper.refreshNameResolution();
	}

	/**
	 * One object of gRPC's policy, from its creation to its replacement.
	 */
	private final class Life extends ForwardingLoadBalancerHelper {

		private final long begunAt = System.nanoTime();

		private final LoadBalancer balancer;

		private @Nullable ConnectivityState state;

		private @Nullable ScheduledHandle timer;

		private boolean ended;

		private Life() {
			this.balancer = Objects.requireNonNull(LoadBalancerRegistry.getDefaultRegistry().getProvider("round_robin"))
				.newLoadBalancer(this);
		}

		@Override
		protected Helper delegate() {
			return PromptBalancer.this.helper;
		}

		@Override
		public void updateBalancingState(ConnectivityState next, SubchannelPicker picker) {
			if (this.ended) {
				return;
			}
			if (next != this.state) {
				this.state = next;
				stopTimer();
				if (next != ConnectivityState.READY) {
					replaceAfter((next == ConnectivityState.TRANSIENT_FAILURE) ? PAUSE : PATIENCE);
				}
			}
			super.updateBalancingState(next, new ListeningPicker(picker, this::onSilence));
		}

		/**
		 * Called on any thread.
		 */
		private void onSilence() {
			getSynchronizationContext().execute(() -> {
				Duration age = Duration.ofNanos(System.nanoTime() - this.begunAt);
				if (this.state == ConnectivityState.READY && this.timer == null) {
					replaceAfter(PATIENCE.minus(age).isNegative() ? Duration.ZERO : PATIENCE.minus(age));
				}
			});
		}

		private void replaceAfter(Duration time) {
			this.timer = getSynchronizationContext().schedule(() -> replace(this), time.toNanos(), TimeUnit.NANOSECONDS,
					getScheduledExecutorService());
		}

		private void end() {
			this.ended = true;
			stopTimer();
			this.balancer.shutdown();
		}

		private void stopTimer() {
			ScheduledHandle running = this.timer;
			if (running != null) {
				running.cancel();
				this.timer = null;
			}
		}

	}

}
