/**
 * What the providers on Redis promise on clusters, behind proxies, with few rights, and
 * so on, as tests that each of them extends.
 */
@NullMarked
package io.distributedlock.test.server.contract;

import org.jspecify.annotations.NullMarked;
