package io.distributedlock.autoconfigure.connection;

import java.util.Collection;
import java.util.TreeSet;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The bean of the application that a provider uses. The application says which, if it has
 * several.
 *
 * @since 0.1
 */
public final class ChosenBean {

	private ChosenBean() {
	}

	/**
	 * Return the only bean, or the primary one of several.
	 * @param <T> the type of the bean
	 * @param provider the name of the provider
	 * @param type the type of the bean
	 * @param beans the beans of this type
	 * @param otherwise what to do to leave none primary, for the message
	 * @return the bean, {@code null} if there is none
	 * @throws InvalidLockSetupException if there are several, and none is primary
	 */
	public static <T> @Nullable T of(String provider, Class<? super T> type, ObjectProvider<T> beans,
			String otherwise) {
		try {
			return beans.getIfAvailable();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			Collection<String> names = ex.getBeanNamesFound();
			throw several(provider, type, (names != null) ? names : new TreeSet<>(), otherwise);
		}
	}

	/**
	 * Return the exception for several beans of which none is primary.
	 * @param provider the name of the provider
	 * @param type the type of the beans
	 * @param names the names of the beans
	 * @param otherwise what to do to leave none primary
	 * @return the exception to throw
	 */
	public static InvalidLockSetupException several(String provider, Class<?> type, Collection<String> names,
			String otherwise) {
		return new InvalidLockSetupException(
				"The provider '%s' can use one bean of type %s, but there are several, and none is primary: %s."
					.formatted(provider, type.getSimpleName(), new TreeSet<>(names)),
				"Mark the one for locks as @Primary; or %s.".formatted(otherwise), null);
	}

}
