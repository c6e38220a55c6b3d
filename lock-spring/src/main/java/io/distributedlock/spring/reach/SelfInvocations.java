package io.distributedlock.spring.reach;

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
 * Finds calls of locked methods that do not go through the proxy: from their own class,
 * its superclasses, interfaces, lambdas and inner classes. To avoid false warnings it
 * ignores
 * <ul>
 * <li>a class with a field of its own type, which may hold its own proxy,</li>
 * <li>a class that asks for the proxy of the current call,</li>
 * <li>a method that gets an object of its own type from elsewhere, such as a
 * provider.</li>
 * </ul>
 */
final class SelfInvocations {

	private static final Logger logger = LoggerFactory.getLogger(SelfInvocations.class);

	private static final String LAMBDA = "lambda$";

	private static final String AOP_CONTEXT = Type.getInternalName(AopContext.class);

	private SelfInvocations() {
	}

	/**
	 * Return the calls, as {@code caller() calls called()}.
	 * @param type the class
	 * @param locked tells which methods are locked
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
			Calls calls = new Calls(Type.getInternalName(each), lockedMethods, (caller) -> true);
			codeOf(each).forEach((code) -> read(code, calls));
			if (calls.throughProxy) {
				return Set.of();
			}
			found.addAll(calls.found);
		}
		for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
			if (!isOfAFramework(each)) {
				Calls calls = new Calls(Type.getInternalName(each), lockedMethods,
						(caller) -> !isOverridden(each, caller, type));
				read(each, calls);
				found.addAll(calls.found);
			}
		}
		return found;
	}

	private static boolean isOverridden(Class<?> anInterface, String name, Class<?> type) {
		return Arrays.stream(anInterface.getDeclaredMethods())
			.filter((method) -> method.isDefault() && method.getName().equals(name))
			.noneMatch((method) -> AopUtils.getMostSpecificMethod(method, type).isDefault());
	}

	static boolean isOfAFramework(Class<?> type) {
		return type.getName().startsWith("java.") || type.getName().startsWith("org.springframework.");
	}

	/**
	 * Return a class and its inner, local and anonymous classes that have a reference to
	 * its object.
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
			logger.debug(
					"The fields of {} cannot be read, since a library is missing. It is not checked for calls of locked methods",
					member.getName(), ex);
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
			logger.debug("The class file of {} cannot be read. It is not checked for calls of locked methods",
					code.getName(), ex);
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

		private final Predicate<String> callers;

		private final Set<String> found = new TreeSet<>();

		private boolean throughProxy;

		private Calls(String owner, Map<String, String> locked, Predicate<String> callers) {
			super(SpringAsmInfo.ASM_VERSION);
			this.owner = owner;
			this.locked = locked;
			this.callers = callers;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String caller, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			boolean ofTheCompiler = (access & Opcodes.ACC_SYNTHETIC) != 0 && !caller.startsWith(LAMBDA);
			if (ofTheCompiler || !this.callers.test(plain(caller))) {
				// a bridge, or a method that fills in default values: called from outside
				return null;
			}
			return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {

				private final Set<String> calls = new TreeSet<>();

				/**
				 * Whether the method has another object of the class that it may call.
				 */
				private boolean another;

				@Override
				public void visitMethodInsn(int opcode, String calledOwner, String name, String calledDescriptor,
						boolean isInterface) {
					if (calledOwner.equals(AOP_CONTEXT)) {
						Calls.this.throughProxy = true;
					}
					if (!calledOwner.equals(Calls.this.owner)
							&& Type.getReturnType(calledDescriptor).getInternalName().equals(Calls.this.owner)) {
						this.another = true;
					}
					if (opcode == Opcodes.INVOKESPECIAL) {
						// a call by super runs under the lock of the overriding method
						return;
					}
					note(calledOwner, name + calledDescriptor);
				}

				@Override
				public void visitTypeInsn(int opcode, String type) {
					if (opcode == Opcodes.CHECKCAST && type.equals(Calls.this.owner)) {
						this.another = true;
					}
				}

				@Override
				public void visitInvokeDynamicInsn(String name, String callDescriptor, Handle bootstrap,
						Object... arguments) {
					for (Object argument : arguments) {
						if (argument instanceof Handle handle) {
							note(handle.getOwner(), handle.getName() + handle.getDesc());
						}
					}
				}

				private void note(String calledOwner, String called) {
					String name = Calls.this.locked.get(called);
					// a method that calls itself holds its lock already
					if (name != null && calledOwner.equals(Calls.this.owner) && !called.equals(caller + descriptor)) {
						this.calls.add(plain(caller) + "() calls " + name + "()");
					}
				}

				@Override
				public void visitEnd() {
					if (!this.another) {
						Calls.this.found.addAll(this.calls);
					}
				}
			};
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
