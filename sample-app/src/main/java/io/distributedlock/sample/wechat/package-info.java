/**
 * A simulation of the WeChat API, which issues tokens and accepts messages.
 */
@NullMarked
package io.distributedlock.sample.wechat;

import org.jspecify.annotations.NullMarked;
