package io.distributedlock.spring;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Finds calls of locked methods from within their own class, which do not go through the
 * proxy. A class that has a field of its own type is taken to call itself through that,
 * by injection of its own proxy, and is passed over.
 */
final class SelfInvocations {

	private static final Logger logger = LoggerFactory.getLogger(SelfInvocations.class);

	private SelfInvocations() {
	}

	/**
	 * Return the calls, as {@code caller -> called}.
	 * @param type the class
	 * @param locked tells the locked methods
	 */
	static Set<String> find(Class<?> type, Predicate<Method> locked) {
		Map<String, String> lockedMethods = Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> !method.isBridge() && locked.test(method))
			.collect(
					Collectors.toMap((method) -> method.getName() + Type.getMethodDescriptor(method), Method::getName));
		if (lockedMethods.isEmpty() || hasFieldOfItself(type)) {
			return Set.of();
		}
		Set<String> found = new TreeSet<>();
		try (InputStream bytes = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (bytes != null) {
				new ClassReader(bytes).accept(new Calls(Type.getInternalName(type), lockedMethods, found),
						ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		catch (IOException | IllegalArgumentException ex) {
			logger.debug("The calls of {} cannot be looked at", type.getName(), ex);
		}
		return found;
	}

	private static boolean hasFieldOfItself(Class<?> type) {
		return Arrays.stream(type.getDeclaredFields())
			.map(Field::getGenericType)
			.anyMatch((fieldType) -> fieldType.getTypeName().contains(type.getName()));
	}

	private static final class Calls extends ClassVisitor {

		private final String owner;

		private final Map<String, String> locked;

		private final Set<String> found;

		private Calls(String owner, Map<String, String> locked, Set<String> found) {
			super(SpringAsmInfo.ASM_VERSION);
			this.owner = owner;
			this.locked = locked;
			this.found = found;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String caller, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {

				@Override
				public void visitMethodInsn(int opcode, String calledOwner, String name, String calledDescriptor,
						boolean isInterface) {
					note(caller, calledOwner, name + calledDescriptor);
				}

				@Override
				public void visitInvokeDynamicInsn(String name, String callDescriptor, Handle bootstrap,
						Object... arguments) {
					for (Object argument : arguments) {
						if (argument instanceof Handle handle) {
							note(caller, handle.getOwner(), handle.getName() + handle.getDesc());
						}
					}
				}
			};
		}

		private void note(String caller, String calledOwner, String called) {
			String name = this.locked.get(called);
			if (name != null && calledOwner.equals(this.owner)) {
				this.found.add(plain(caller) + "() calls " + name + "()");
			}
		}

		/**
		 * The compiler names the body of a lambda after its method:
		 * {@code lambda$method$0}.
		 */
		private static String plain(String caller) {
			return caller.startsWith("lambda$") ? caller.split("\\$", -1)[1] : caller;
		}

	}

}
