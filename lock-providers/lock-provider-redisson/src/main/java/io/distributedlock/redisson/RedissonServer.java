package io.distributedlock.redisson;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.command.CommandAsyncExecutor;

/**
 * What is known of the server by Redisson alone, which has no public method for it.
 */
final class RedissonServer {

	private final RedissonClient client;

	private final CommandAsyncExecutor commands;

	RedissonServer(RedissonClient client) {
		if (!(client instanceof Redisson redisson)) {
			throw new IllegalStateException(
					"Locks need the client of the redisson artifact itself, made by Redisson.create: %s is another one"
						.formatted(client.getClass().getName()));
		}
		this.client = client;
		this.commands = redisson.getCommandExecutor();
	}

	RedissonClient client() {
		return this.client;
	}

	/**
	 * Return whether releases are published on sharded channels, as on a cluster of Redis
	 * 7, and then nowhere else.
	 */
	boolean hasShardedChannels() {
		return this.commands.getConnectionManager().getSubscribeService().isShardingSupported();
	}

	/**
	 * Return the command by which a script tells of a release.
	 */
	String publishCommand() {
		return this.commands.getConnectionManager().getSubscribeService().getPublishCommand();
	}

}
