/**
 * Auto-configuration of locks for Spring Boot: the template, the advice, and what all
 * providers share. Each backend has a package of its own with its provider, its client
 * and its properties; {@code connection} is for all of them. {@code DefaultProviderName}
 * and {@code OnLockProviderCondition} decide which providers are configured, and which
 * one is the default.
 * <p>
 * Covered by {@code DistributedLockAutoConfigurationTests}, {@code MisconfigurationTests}
 * and {@code FailFastTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
