package io.distributedlock.redisson;

import java.util.ArrayList;
import java.util.List;

/**
 * One call of a script.
 * <p>
 * Why: docs/decisions/028-redis-sends-an-acquisition-once.md
 *
 * @param script the script
 * @param keys the names of its keys, all in one hash slot
 * @param arguments its arguments
 */
record ScriptCall(RedissonScript script, List<String> keys, List<String> arguments) {

	/**
	 * Return the key that decides which node of a cluster is asked.
	 */
	String key() {
		return this.keys.get(0);
	}

	/**
	 * Return the parameters of the command.
	 * @param start the source of the script or its digest
	 */
	Object[] parameters(String start) {
		List<Object> parameters = new ArrayList<>(2 + this.keys.size() + this.arguments.size());
		parameters.add(start);
		parameters.add(this.keys.size());
		parameters.addAll(this.keys);
		parameters.addAll(this.arguments);
		return parameters.toArray();
	}

}
