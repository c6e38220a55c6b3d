package io.distributedlock.spi;

import java.time.Duration;

/**
 * A lease to be renewed, and for how long.
 *
 * @param lease the lease, granted by the provider that is asked to renew it
 * @param leaseTime how long it shall run from now
 * @since 0.1
 */
public record LeaseRenewal(Lease lease, Duration leaseTime) {
}
