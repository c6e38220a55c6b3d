package io.distributedlock.sample.node;

import java.time.Instant;

/**
 * A token that the nodes share.
 *
 * @param value the token itself
 * @param expiresAt when it expires
 */
public record AccessToken(String value, Instant expiresAt) {
}
