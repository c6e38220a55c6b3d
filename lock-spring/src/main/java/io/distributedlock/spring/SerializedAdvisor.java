package io.distributedlock.spring;

import java.io.InvalidObjectException;
import java.io.ObjectStreamException;
import java.io.Serial;
import java.io.Serializable;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;

/**
 * Stands for advice where its bean is serialized, as one of a session. The bean gets the
 * advice of the application that reads it, which Spring finds by the id of the
 * application context; with none it is not read, as it would run without its locks.
 *
 * @param beans the bean factory of the advice, which Spring writes as that id
 * @param kind which advice
 */
record SerializedAdvisor(@SuppressWarnings("serial") BeanFactory beans, Kind kind) implements Serializable {

	@Serial
	private Object readResolve() throws ObjectStreamException {
		try {
			return this.beans.getBean(DistributedLockBeanPostProcessor.class).advisor(this.kind);
		}
		catch (BeansException ex) {
			InvalidObjectException problem = new InvalidObjectException(
					"A bean with locked methods cannot be read: no application context of this JVM has its id and the advice for locks. Give the context the same id each time, as by spring.application.name");
			problem.initCause(ex);
			throw problem;
		}
	}

	/**
	 * What advice there is.
	 */
	enum Kind {

		LOCK, COMMIT_CHECK

	}

}
