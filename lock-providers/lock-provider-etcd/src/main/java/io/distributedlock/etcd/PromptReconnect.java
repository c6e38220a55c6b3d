package io.distributedlock.etcd;

import io.grpc.LoadBalancer;
import io.grpc.LoadBalancerProvider;
import io.grpc.LoadBalancerRegistry;

/**
 * Registers {@link PromptBalancer} with gRPC, which finds such policies by name only.
 * <p>
 * Why: docs/decisions/032-silent-connections.md
 */
final class PromptReconnect extends LoadBalancerProvider {

	static final String NAME = "distributed_lock_prompt_reconnect";

	private static final PromptReconnect INSTANCE = new PromptReconnect();

	static void register() {
		// the registry accepts one that it has already
		LoadBalancerRegistry.getDefaultRegistry().register(INSTANCE);
	}

	@Override
	public boolean isAvailable() {
		return true;
	}

	@Override
	public int getPriority() {
		// gRPC's default; it decides only between policies of one name
		return 5;
	}

	@Override
	public String getPolicyName() {
		return NAME;
	}

	@Override
	public LoadBalancer newLoadBalancer(LoadBalancer.Helper helper) {
		return new PromptBalancer(helper);
	}

}
