package io.distributedlock.sample;

/**
 * What the coordinator answers to a report.
 *
 * @param epoch rises with each change; tokens of an earlier epoch are forgotten
 * @param mode how to refresh
 * @param running whether to send
 */
public record NodeCommand(int epoch, Mode mode, boolean running) {
}
