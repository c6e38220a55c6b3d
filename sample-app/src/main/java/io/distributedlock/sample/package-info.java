/**
 * The access_token refresh of WeChat, on three nodes.
 */
@NullMarked
package io.distributedlock.sample;

import org.jspecify.annotations.NullMarked;
