package io.distributedlock.sample;

/**
 * The answer of the coordinator to a report: what the node should do.
 *
 * @param epoch a number that rises with each change; nodes do not use tokens of an
 * earlier epoch
 * @param mode how to refresh
 * @param running whether to send messages
 */
public record NodeCommand(int epoch, Mode mode, boolean running) {
}
