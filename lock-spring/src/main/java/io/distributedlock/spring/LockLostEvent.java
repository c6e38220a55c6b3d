package io.distributedlock.spring;

import io.distributedlock.LockLostException;

import org.springframework.context.ApplicationEvent;

/**
 * A lock was lost: its lease ended while it was held. One event is published for each
 * loss, on a thread of the template's executor.
 *
 * @since 0.1
 */
public class LockLostEvent extends ApplicationEvent {

	private static final long serialVersionUID = 1L;

	/**
	 * What happened.
	 */
	private final LockLostException loss;

	/**
	 * Create an event.
	 * @param source the object that publishes the event
	 * @param loss what happened
	 */
	public LockLostEvent(Object source, LockLostException loss) {
		super(source);
		this.loss = loss;
	}

	/**
	 * Return what happened.
	 * @return the exception that holders get, with key and provider
	 */
	public LockLostException getLoss() {
		return this.loss;
	}

}
