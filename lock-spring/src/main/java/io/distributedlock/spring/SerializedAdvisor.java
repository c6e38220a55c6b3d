package io.distributedlock.spring;

import java.io.InvalidObjectException;
import java.io.ObjectStreamException;
import java.io.Serial;
import java.io.Serializable;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;

/**
 * Replaces advice when its bean is serialized, as a bean of an HTTP session is. The
 * application that reads the bean puts its own advice in; Spring finds that by the id of
 * the application context. Without such a context the bean cannot be read, since it would
 * run without its locks.
 *
 * @param beans the bean factory of the advice, which Spring writes as that id
 * @param role which advice
 */
record SerializedAdvisor(@SuppressWarnings("serial") BeanFactory beans, Role role) implements Serializable {

	@Serial
	private Object readResolve() throws ObjectStreamException {
		try {
			return this.beans.getBean(ContextAdvice.class).advisor(this.role);
		}
		catch (BeansException ex) {
			InvalidObjectException problem = new InvalidObjectException(
					"A serialized bean with locked methods cannot be read: no application context in this JVM has the id of the one that wrote it and the advice for locks. Give the application context the same id at each start, for example by spring.application.name");
			problem.initCause(ex);
			throw problem;
		}
	}

	/**
	 * What the advice does.
	 */
	enum Role {

		LOCK, COMMIT_CHECK

	}

}
