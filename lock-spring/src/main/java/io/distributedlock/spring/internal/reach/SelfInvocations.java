package io.distributedlock.spring.internal.reach;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
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
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds calls of locked methods that do not go through the proxy: from their own class,
 * its superclasses, interfaces, lambdas and inner classes. To avoid false warnings it
 * ignores
 * <ul>
 * <li>final methods, which run on the proxy if that is a subclass, unless another method
 * of the class calls them,</li>
 * <li>lambdas of a framework, such as those of {@code Function.andThen},</li>
 * <li>a class with a field of its own type, which may hold its own proxy,</li>
 * <li>a class that asks for the proxy of the current call,</li>
 * <li>a method that gets an object of its own type from elsewhere, such as a
 * provider.</li>
 * </ul>
 */
final class SelfInvocations {

	private static final Logger logger = LoggerFactory.getLogger(SelfInvocations.class);

	private static final String LAMBDA = "lambda$";

	/**
	 * The superclasses of what the compiler of Kotlin makes of a reference to a function.
	 */
	private static final String REFERENCE = "kotlin.jvm.internal.(FunctionReferenceImpl|AdaptedFunctionReference)";

	private static final int ANY = -1;

	/**
	 * The method of a Kotlin compiler that fills in default values and calls another one.
	 */
	static final String WITH_DEFAULTS = "$default";

	private static final String AOP_CONTEXT = Type.getInternalName(AopContext.class);

	private SelfInvocations() {
	}

	/**
	 * Return the calls, as {@code caller() calls called()}.
	 * @param type the class
	 * @param bySubclass whether the proxy is a subclass of the class
	 * @param locked tells which methods are locked
	 */
	static Set<String> find(Class<?> type, boolean bySubclass, Predicate<Method> locked) {
		Map<String, String> lockedMethods = new HashMap<>();
		ReflectionUtils.doWithMethods(type,
				(method) -> lockedMethods.put(method.getName() + Type.getMethodDescriptor(method), method.getName()),
				(method) -> !method.isBridge() && !ReflectionUtils.isObjectMethod(method)
						&& locked.test(AopUtils.getMostSpecificMethod(method, type)));
		if (lockedMethods.isEmpty() || hasFieldOfItself(type)) {
			return Set.of();
		}
		List<Class<?>> types = ReachableMethods.withParents(type).distinct().toList();
		if (bySubclass) {
			types.forEach((each) -> read(each, new Calls(each, lockedMethods, Opcodes.ACC_FINAL, (caller) -> true)));
		}
		Set<String> found = new TreeSet<>();
		for (Class<?> each : types) {
			Calls calls = new Calls(each, lockedMethods, bySubclass ? 0 : ANY,
					(caller) -> !each.isInterface() || !isOverridden(each, caller, type));
			codeOf(each).forEach((code) -> read(code, calls));
			if (calls.throughProxy) {
				return Set.of();
			}
			found.addAll(calls.found);
		}
		return found;
	}

	private static boolean isOverridden(Class<?> anInterface, String name, Class<?> type) {
		return Arrays.stream(anInterface.getDeclaredMethods())
			.filter((method) -> method.isDefault() && method.getName().equals(name))
			.noneMatch((method) -> ReachableMethods.specific(method, type).isDefault());
	}

	static boolean isOfAFramework(String type) {
		return type.startsWith("java.") || type.startsWith("org.springframework.");
	}

	/**
	 * Return a class and its inner, local and anonymous classes that have a reference to
	 * its object.
	 */
	private static Stream<Class<?>> codeOf(Class<?> owner) {
		Stream<Class<?>> members = KotlinDetector.isKotlinType(owner) ? kotlinMembers(owner)
				: Arrays.stream(owner.getNestMembers());
		return members.filter((member) -> member == owner || hasObjectOf(owner, member) || isBoundReference(member));
	}

	/**
	 * Return whether the compiler of Kotlin made a class for a reference such as
	 * {@code ::method}, which calls the method on an object.
	 */
	private static boolean isBoundReference(Class<?> member) {
		Class<?> parent = member.getSuperclass();
		return parent != null && parent.getName().matches(REFERENCE)
				&& member.getDeclaredConstructors()[0].getParameterCount() == 1;
	}

	/**
	 * Return what the compiler of Kotlin made of a class: it does not mark nest members.
	 */
	private static Stream<Class<?>> kotlinMembers(Class<?> owner) {
		Set<Class<?>> members = new LinkedHashSet<>(Set.of(owner));
		read(owner, new ClassVisitor(SpringAsmInfo.ASM_VERSION) {
			@Override
			public void visitInnerClass(String name, @Nullable String outerName, @Nullable String innerName,
					int access) {
				if (name.startsWith(Type.getInternalName(owner) + "$")) {
					members.add(ClassUtils.resolveClassName(name.replace('/', '.'), owner.getClassLoader()));
				}
			}
		});
		return members.stream();
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

	private static void read(Class<?> code, ClassVisitor calls) {
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

	/**
	 * Return whether a field has the type, or a type with it as an argument. The names
	 * are compared, since the arguments of a raw type such as {@link Enum} have no end.
	 */
	private static boolean hasFieldOfItself(Class<?> type) {
		return Arrays.stream(type.getDeclaredFields())
			.map((field) -> field.getGenericType().getTypeName().split("[^\\p{javaJavaIdentifierPart}.]+"))
			.anyMatch((names) -> Arrays.asList(names).contains(type.getTypeName()));
	}

	private static final class Calls extends ClassVisitor {

		private final Class<?> type;

		private final String owner;

		private final Map<String, String> locked;

		/**
		 * Which methods are read: final ones that are not private, all others, or any.
		 * Who calls a final one calls the locked method that it calls.
		 */
		private final int kind;

		private final Predicate<String> callers;

		private final Set<String> found = new TreeSet<>();

		private boolean throughProxy;

		/**
		 * The method that the class that is read belongs to, if it is no other one.
		 */
		private @Nullable String enclosing;

		private boolean reference;

		private Calls(Class<?> owner, Map<String, String> locked, int kind, Predicate<String> callers) {
			super(SpringAsmInfo.ASM_VERSION);
			this.type = owner;
			this.owner = Type.getInternalName(owner);
			this.locked = locked;
			this.kind = kind;
			this.callers = callers;
		}

		@Override
		public void visit(int version, int access, String name, @Nullable String signature, @Nullable String superName,
				String @Nullable [] interfaces) {
			// a suspending function, a lambda, or a reference of Kotlin: Owner$method$1
			boolean suspending = superName != null && superName.startsWith("kotlin/coroutines/jvm/internal/");
			this.reference = superName != null && superName.replace('/', '.').matches(REFERENCE);
			this.enclosing = ((suspending || this.reference) && name.startsWith(this.owner + "$"))
					? name.substring(this.owner.length() + 1).split("\\$", -1)[0] : null;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String caller, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			boolean ofTheCompiler = (access & Opcodes.ACC_SYNTHETIC) != 0;
			int kindOfCaller = ((access & Opcodes.ACC_PRIVATE) != 0) ? 0 : modifiers(access) & Opcodes.ACC_FINAL;
			boolean ignored = (this.kind != ANY && this.kind != kindOfCaller)
					|| (ofTheCompiler && (isOfAFramework(this.owner.replace('/', '.')) || !caller.contains(LAMBDA)));
			if (ignored || !this.callers.test(plain(caller))) {
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
					if (opcode == Opcodes.CHECKCAST && type.equals(Calls.this.owner) && !Calls.this.reference) {
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
					String name = lockedMethod(called);
					// a method that calls itself holds its lock already
					if (name != null && calledOwner.equals(Calls.this.owner) && !called.equals(caller + descriptor)
							&& !name.equals(Calls.this.enclosing)) {
						this.calls.add(name);
					}
				}

				@Override
				public void visitEnd() {
					if (this.another) {
						return;
					}
					for (String called : this.calls) {
						if (Calls.this.kind == Opcodes.ACC_FINAL) {
							Calls.this.locked.put(caller + descriptor, called);
						}
						else {
							Calls.this.found.add(plain(caller) + "() calls " + called + "()");
						}
					}
				}
			};
		}

		/**
		 * Return the modifiers of a method, or of that which its class belongs to: the
		 * compiler of Kotlin makes the methods of such a class final.
		 */
		private int modifiers(int access) {
			return (this.enclosing == null) ? access
					: Arrays.stream(this.type.getDeclaredMethods())
						.filter((method) -> method.getName().equals(this.enclosing))
						.mapToInt(Method::getModifiers)
						.findFirst()
						.orElse(0);
		}

		private @Nullable String lockedMethod(String called) {
			int end = called.indexOf(WITH_DEFAULTS + "(");
			String name = (end >= 0) ? called.substring(0, end) : null;
			return (name != null && this.locked.containsValue(name)) ? name : this.locked.get(called);
		}

		/**
		 * The compiler names the body of a lambda after its method:
		 * {@code lambda$method$0}, or {@code method$lambda$0} in Kotlin.
		 */
		private String plain(String caller) {
			if (this.enclosing != null) {
				return this.enclosing;
			}
			if (caller.contains(LAMBDA)) {
				return caller.split("\\$", -1)[caller.startsWith(LAMBDA) ? 1 : 0];
			}
			return caller;
		}

	}

}
