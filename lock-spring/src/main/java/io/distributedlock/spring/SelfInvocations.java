package io.distributedlock.spring;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.AopContext;
import org.springframework.aop.support.AopUtils;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds calls of locked methods from within their own class, its superclasses, lambdas
 * and inner classes, which do not go through the proxy. A class that has a field of its
 * own type is taken to call itself through that, by injection of its own proxy, and is
 * passed over; so is one that asks for the proxy of the current call.
 */
final class SelfInvocations {

	private static final Logger logger = LoggerFactory.getLogger(SelfInvocations.class);

	private static final String LAMBDA = "lambda$";

	private static final String AOP_CONTEXT = Type.getInternalName(AopContext.class);

	private SelfInvocations() {
	}

	/**
	 * Return the calls, as {@code caller -> called}.
	 * @param type the class
	 * @param locked tells the locked methods
	 */
	static Set<String> find(Class<?> type, Predicate<Method> locked) {
		Map<String, String> lockedMethods = new HashMap<>();
		ReflectionUtils.doWithMethods(type,
				(method) -> lockedMethods.put(method.getName() + Type.getMethodDescriptor(method), method.getName()),
				(method) -> !method.isBridge() && !ReflectionUtils.isObjectMethod(method)
						&& locked.test(AopUtils.getMostSpecificMethod(method, type)));
		if (lockedMethods.isEmpty() || hasFieldOfItself(type)) {
			return Set.of();
		}
		Set<String> found = new TreeSet<>();
		for (Class<?> each = type; each != null && !isOfAFramework(each); each = each.getSuperclass()) {
			Calls calls = new Calls(Type.getInternalName(each), lockedMethods);
			codeOf(each).forEach((code) -> read(code, calls));
			if (calls.throughProxy) {
				return Set.of();
			}
			found.addAll(calls.found);
		}
		return found;
	}

	static boolean isOfAFramework(Class<?> type) {
		return type.getName().startsWith("java.") || type.getName().startsWith("org.springframework.");
	}

	/**
	 * Return a class and those of its nest that have its object: inner, local and
	 * anonymous ones.
	 */
	private static Stream<Class<?>> codeOf(Class<?> owner) {
		return Arrays.stream(owner.getNestMembers()).filter((member) -> member == owner || hasObjectOf(owner, member));
	}

	private static boolean hasObjectOf(Class<?> owner, Class<?> member) {
		try {
			return Arrays.stream(member.getDeclaredFields())
				.anyMatch((field) -> field.isSynthetic() && field.getType() == owner);
		}
		catch (LinkageError ex) {
			logger.debug("{} needs a library that is not there", member.getName(), ex);
			return false;
		}
	}

	private static void read(Class<?> code, Calls calls) {
		try (InputStream bytes = code.getResourceAsStream(ClassUtils.getClassFileName(code))) {
			if (bytes != null) {
				new ClassReader(bytes).accept(calls, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		catch (IOException | IllegalArgumentException ex) {
			logger.debug("The calls of {} cannot be looked at", code.getName(), ex);
		}
	}

	private static boolean hasFieldOfItself(Class<?> type) {
		return Arrays.stream(type.getDeclaredFields())
			.anyMatch((field) -> mentions(ResolvableType.forField(field), type));
	}

	private static boolean mentions(ResolvableType declared, Class<?> type) {
		return declared.resolve() == type
				|| Arrays.stream(declared.getGenerics()).anyMatch((argument) -> mentions(argument, type));
	}

	private static final class Calls extends ClassVisitor {

		private final String owner;

		private final Map<String, String> locked;

		private final Set<String> found = new TreeSet<>();

		private boolean throughProxy;

		private Calls(String owner, Map<String, String> locked) {
			super(SpringAsmInfo.ASM_VERSION);
			this.owner = owner;
			this.locked = locked;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String caller, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			boolean ofTheCompiler = (access & Opcodes.ACC_SYNTHETIC) != 0 && !caller.startsWith(LAMBDA);
			if (ofTheCompiler) {
				// a bridge, or what fills in default values: it is called from outside
				return null;
			}
			return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {

				@Override
				public void visitMethodInsn(int opcode, String calledOwner, String name, String calledDescriptor,
						boolean isInterface) {
					if (calledOwner.equals(AOP_CONTEXT)) {
						Calls.this.throughProxy = true;
					}
					if (opcode == Opcodes.INVOKESPECIAL) {
						// a call by super, which belongs to the method that overrides
						return;
					}
					note(caller + descriptor, caller, calledOwner, name + calledDescriptor);
				}

				@Override
				public void visitInvokeDynamicInsn(String name, String callDescriptor, Handle bootstrap,
						Object... arguments) {
					for (Object argument : arguments) {
						if (argument instanceof Handle handle) {
							note(caller + descriptor, caller, handle.getOwner(), handle.getName() + handle.getDesc());
						}
					}
				}
			};
		}

		private void note(String callerAndTypes, String caller, String calledOwner, String called) {
			String name = this.locked.get(called);
			// one that calls itself has its lock
			if (name != null && calledOwner.equals(this.owner) && !called.equals(callerAndTypes)) {
				this.found.add(plain(caller) + "() calls " + name + "()");
			}
		}

		/**
		 * The compiler names the body of a lambda after its method:
		 * {@code lambda$method$0}.
		 */
		private static String plain(String caller) {
			return caller.startsWith(LAMBDA) ? caller.split("\\$", -1)[1] : caller;
		}

	}

}
