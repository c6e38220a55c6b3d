package io.distributedlock.sample;

/**
 * The report of a node to the coordinator.
 *
 * @param node the number of the node
 * @param pid its process id
 * @param activity what the node is doing
 * @param epoch the epoch of the last command that it has followed
 * @param idle whether no send is under way
 * @param sentUnlocked messages sent without the lock
 * @param failedUnlocked messages refused without the lock
 * @param sentLocked messages sent with the lock
 * @param failedLocked messages refused with the lock
 */
public record NodeReport(int node, long pid, Activity activity, int epoch, boolean idle, long sentUnlocked,
		long failedUnlocked, long sentLocked, long failedLocked) {

	/**
	 * What a node does.
	 */
	public enum Activity {

		/**
		 * Sends messages.
		 */
		SENDING,

		/**
		 * Needs a new token: the current one is missing, expires soon or was refused.
		 */
		WAITING_TO_REFRESH,

		/**
		 * Fetches a new token, and holds the lock in the mode with the lock.
		 */
		REFRESHING,

		/**
		 * Pauses because the coordinator says so.
		 */
		PAUSED

	}

}
