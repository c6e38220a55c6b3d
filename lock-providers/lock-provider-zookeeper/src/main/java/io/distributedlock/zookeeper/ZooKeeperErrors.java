package io.distributedlock.zookeeper;

import java.util.concurrent.TimeoutException;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Says what a code of ZooKeeper or a failure of Curator means.
 */
final class ZooKeeperErrors {

	private ZooKeeperErrors() {
	}

	/**
	 * Return what a code means.
	 * @param servers where the client connects to, as it does not say why it cannot
	 */
	static BackendException of(@Nullable Code code, String servers) {
		if (code == null) {
			return new BackendException("ZooKeeper answered with an unknown code", false, null);
		}
		KeeperException cause = KeeperException.create(code);
		return switch (code) {
			// no server answers, or the one that does has no majority behind it, or the
			// session went on elsewhere: the client connects again by itself
			case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONEXPIRED, SESSIONMOVED, NOTREADONLY -> new BackendException(
					"ZooKeeper cannot be reached (%s): check its address and that a majority runs".formatted(servers),
					true, cause);
			// another try would be refused too, until somebody changes the rights
			case NOAUTH, AUTHFAILED, SESSIONCLOSEDREQUIRESASLAUTH -> new BackendException(
					"ZooKeeper denies the user the node of locks: see the least rights in docs/providers/zookeeper.md",
					false, cause);
			// the server has too much to do, or a limit that others may soon leave
			case QUOTAEXCEEDED, THROTTLEDOP ->
				new BackendException("ZooKeeper refuses more nodes or requests for now (" + code + ")", true, cause);
			default -> new BackendException("ZooKeeper answered " + code, false, cause);
		};
	}

	static BackendException notSent(Exception cause) {
		return new BackendException(
				"the client of ZooKeeper cannot send a command: check that it is started and not closed", false, cause);
	}

	static BackendException goneWithItsSession() {
		return new BackendException("the place in the queue ended with its ZooKeeper session", true, null);
	}

	static BackendException translate(Throwable failure, String servers) {
		Throwable cause = Failures.unwrap(failure);
		if (cause instanceof BackendException backendException) {
			return backendException;
		}
		if (cause instanceof TimeoutException) {
			return new BackendException(
					"ZooKeeper did not answer in time (%s): check its address and that a majority runs"
						.formatted(servers),
					true, cause);
		}
		return new BackendException("ZooKeeper failed with " + cause.getClass().getSimpleName(), false, cause);
	}

}
