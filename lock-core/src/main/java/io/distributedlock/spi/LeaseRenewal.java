package io.distributedlock.spi;

import java.time.Duration;

/**
 * A lease to be renewed, and for how long.
 *
 * @param lease the lease, granted by the same provider
 * @param leaseTime how long it is to run from now
 * @since 0.1
 */
public record LeaseRenewal(Lease lease, Duration leaseTime) {
}
