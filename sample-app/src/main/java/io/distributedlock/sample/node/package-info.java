/**
 * An ordinary application: it sends messages with a token that its instances share, and
 * one instance at a time fetches a new one. Nothing here knows of the demonstration.
 */
@NullMarked
package io.distributedlock.sample.node;

import org.jspecify.annotations.NullMarked;
