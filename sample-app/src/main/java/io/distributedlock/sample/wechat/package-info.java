/**
 * A simulated WeChat API.
 */
@NullMarked
package io.distributedlock.sample.wechat;

import org.jspecify.annotations.NullMarked;
