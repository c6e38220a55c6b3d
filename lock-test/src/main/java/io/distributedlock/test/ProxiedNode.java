package io.distributedlock.test;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.network.TcpProxy.Direction;

/**
 * A node that reaches each server through a proxy, so that a test can disturb its
 * network.
 */
final class ProxiedNode implements AutoCloseable {

	private final List<TcpProxy> proxies;

	private final ProviderFactory.Node node;

	private final DefaultLockTemplate template;

	private ProxiedNode(List<TcpProxy> proxies, ProviderFactory.Node node, DefaultLockTemplate template) {
		this.proxies = proxies;
		this.node = node;
		this.template = template;
	}

	static ProxiedNode open(ProviderSource source, Function<LockProvider, DefaultLockTemplate> template) {
		List<TcpProxy> proxies = source.faults().ports().stream().map(TcpProxy::new).toList();
		List<Integer> ports = proxies.stream().map(TcpProxy::port).toList();
		ProviderFactory.Node node = source.create(source.faults().argumentsThrough().apply(ports),
				KitNodes.COMMAND_TIMEOUT);
		return new ProxiedNode(proxies, node, template.apply(node.provider()));
	}

	DefaultLockTemplate template() {
		return this.template;
	}

	/**
	 * Lose one reply of each server, together with its connection.
	 * @param step how many replies get through before
	 */
	void loseReply(int step) {
		lose(Direction.REPLIES, step);
	}

	void lose(Direction direction, int step) {
		network((proxy) -> proxy.cutAt(direction, step, 1));
	}

	boolean isLossPending() {
		return this.proxies.stream().anyMatch(TcpProxy::isLossPending);
	}

	void network(Consumer<TcpProxy> fault) {
		this.proxies.forEach(fault);
	}

	void heal() {
		network(TcpProxy::heal);
	}

	@Override
	public void close() {
		heal();
		this.template.close();
		this.node.provider().close();
		try {
			this.node.client().close();
		}
		catch (Exception ex) {
			throw new IllegalStateException("The client could not be closed", ex);
		}
		this.proxies.forEach(TcpProxy::close);
	}

}
