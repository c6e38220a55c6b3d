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
 * Shares requests out among the servers in turn, by gRPC's own policy, and begins anew
 * with that, and so with new connections, where it does not come to one. gRPC itself
 * waits for longer and longer between two attempts to connect, up to two minutes, and
 * does not see that a connection has fallen silent for twelve seconds.
 * <p>
 * All methods are called in gRPC's synchronization context, one after the other.
 */
final class PromptBalancer extends LoadBalancer {

	/**
	 * Shorter than the time after which gRPC tries again for the first time, so that no
	 * attempt is interrupted.
	 */
	private static final Duration PAUSE = Duration.ofMillis(500);

	/**
	 * How long an attempt to connect may take, and the least time between two beginnings
	 * because of silence: a server that is slow needs no new connections.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final Helper helper;

	private Beginning current;

	private @Nullable ResolvedAddresses addresses;

	PromptBalancer(Helper helper) {
		this.helper = helper;
		this.current = new Beginning();
	}

	@Override
	public Status acceptResolvedAddresses(ResolvedAddresses resolved) {
		// made for this policy, which has none
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

	private void beginAnew(Beginning failed) {
		ResolvedAddresses known = this.addresses;
		if (failed != this.current || failed.ended || known == null) {
			return;
		}
		failed.end();
		this.helper.updateBalancingState(ConnectivityState.CONNECTING,
				new FixedResultPicker(PickResult.withNoResult()));
		this.current = new Beginning();
		this.current.balancer.acceptResolvedAddresses(known);
		// servers that have moved
		this.helper.refreshNameResolution();
	}

	/**
	 * One life of gRPC's policy.
	 */
	private final class Beginning extends ForwardingLoadBalancerHelper {

		private final long begunAt = System.nanoTime();

		private final LoadBalancer balancer;

		private @Nullable ConnectivityState state;

		private @Nullable ScheduledHandle timer;

		private boolean ended;

		private Beginning() {
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
					beginAnewAfter((next == ConnectivityState.TRANSIENT_FAILURE) ? PAUSE : PATIENCE);
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
					beginAnewAfter(PATIENCE.minus(age).isNegative() ? Duration.ZERO : PATIENCE.minus(age));
				}
			});
		}

		private void beginAnewAfter(Duration time) {
			this.timer = getSynchronizationContext().schedule(() -> beginAnew(this), time.toNanos(),
					TimeUnit.NANOSECONDS, getScheduledExecutorService());
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
