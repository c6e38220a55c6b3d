package io.distributedlock.engine.internal.event;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which events a listener hears.
 */
class ListenerEventTests {

	@Test
	void eachMethodOfAListenerIsAnEvent() {
		LockListener nothing = new LockListener() {
		};
		assertThat(ListenerEvent.values()).hasSameSizeAs(LockListener.class.getDeclaredMethods());
		assertThat(ListenerEvent.heardBy(nothing)).as("it may be a mock").containsExactly(ListenerEvent.values());
		assertThat(Arrays.stream(LockListener.class.getDeclaredMethods()).map(Method::isDefault)).containsOnly(true);
	}

	@Test
	void listenerHearsWhatItOrItsSuperclassImplements() {
		assertThat(ListenerEvent.heardBy(new Heir())).containsExactly(ListenerEvent.ACQUIRED, ListenerEvent.RELEASED);
	}

	private static class Parent implements LockListener {

		@Override
		public void acquired(LockEvent event, Duration waited) {
		}

	}

	private static final class Heir extends Parent {

		@Override
		public void released(LockEvent event, Duration held) {
		}

	}

}
