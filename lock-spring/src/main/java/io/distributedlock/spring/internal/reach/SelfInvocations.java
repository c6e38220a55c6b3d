package io.distributedlock.spring.internal.reach;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.support.AopUtils;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.FieldVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ReflectionUtils;

/**
 * Finds calls of locked methods that do not go through the proxy: from their own class,
 * its superclasses, interfaces, lambdas and inner classes. To avoid false warnings it
 * ignores
 * <ul>
 * <li>final methods, which run on the proxy if that is a subclass, unless another method
 * of the class calls them,</li>
 * <li>lambdas of a framework, such as those of {@code Function.andThen},</li>
 * <li>a method that has another object of its class, which may be the proxy: from a
 * field, a parameter, a call or a cast.</li>
 * </ul>
 */
final class SelfInvocations {

	private static final Logger logger = LoggerFactory.getLogger(SelfInvocations.class);

	private static final String LAMBDA = "lambda$";

	/**
	 * The method of a Kotlin compiler that has the body of an open suspending function.
	 */
	private static final String SUSPENDING = "$suspendImpl";

	/**
	 * The superclasses of what the compiler of Kotlin makes of a reference to a function.
	 */
	private static final String REFERENCE = "kotlin/jvm/internal/(FunctionReferenceImpl|AdaptedFunctionReference)";

	/**
	 * The method of a Kotlin compiler that fills in default values and calls another one.
	 */
	static final String WITH_DEFAULTS = "$default";

	private SelfInvocations() {
	}

	/**
	 * Return the calls, as {@code caller() calls called()}.
	 * @param type the class
	 * @param bySubclass whether the proxy is a subclass of the class
	 * @param locked tells which methods are locked
	 */
	static Set<String> find(Class<?> type, boolean bySubclass, Predicate<Method> locked) {
		Map<String, String> names = new HashMap<>();
		ReflectionUtils.doWithMethods(type, (method) -> {
			names.put(method.getName() + Type.getMethodDescriptor(method), method.getName());
			names.put(method.getName() + WITH_DEFAULTS, method.getName());
		}, (method) -> !method.isBridge() && !ReflectionUtils.isObjectMethod(method)
				&& locked.test(AopUtils.getMostSpecificMethod(method, type)));
		Set<String> found = new TreeSet<>();
		if (names.isEmpty()) {
			return found;
		}
		List<Body> bodies = ReachableMethods.withParents(type)
			.distinct()
			.flatMap((each) -> bodies(each, type))
			.toList();
		// who calls a final method calls the locked method that it calls
		for (int known = 0; bySubclass && known < names.size();) {
			known = names.size();
			bodies.stream()
				.filter((body) -> body.fixed)
				.forEach((body) -> body.called(names).forEach((called) -> names.put(body.signature, called)));
		}
		bodies.stream()
			.filter((body) -> !bySubclass || !body.fixed)
			.forEach((body) -> body.called(names)
				.forEach((called) -> found.add(body.method + "() calls " + called + "()")));
		return found;
	}

	/**
	 * Return the code of a class, of its lambdas and of its inner classes.
	 */
	private static Stream<Body> bodies(Class<?> owner, Class<?> type) {
		Code code = read(owner, Type.getInternalName(owner));
		List<Body> all = new ArrayList<>(code.bodies);
		code.inner.stream()
			.map((inner) -> read(owner, inner))
			.filter((inner) -> inner.hasObject)
			.forEach((inner) -> all.addAll(inner.bodies));
		Set<String> fixed = methods(code.bodies, (body) -> body.fixed);
		all.stream().filter((body) -> body.isPart).forEach((body) -> body.fixed = fixed.contains(body.method));
		Set<String> withAnother = methods(all, (body) -> body.another);
		return all.stream()
			.filter((body) -> !withAnother.contains(body.method)
					&& (!owner.isInterface() || !isOverridden(owner, body.method, type)));
	}

	private static Set<String> methods(List<Body> bodies, Predicate<Body> which) {
		return bodies.stream().filter(which).map((body) -> body.method).collect(Collectors.toSet());
	}

	private static boolean isOverridden(Class<?> anInterface, String name, Class<?> type) {
		return Arrays.stream(anInterface.getDeclaredMethods())
			.filter((method) -> method.isDefault() && method.getName().equals(name))
			.noneMatch((method) -> ReachableMethods.specific(method, type).isDefault());
	}

	static boolean isOfAFramework(String type) {
		return type.startsWith("java.") || type.startsWith("org.springframework.");
	}

	private static Code read(Class<?> owner, String name) {
		Code code = new Code(owner, name);
		try (InputStream bytes = owner.getResourceAsStream("/" + name + ".class")) {
			if (bytes != null) {
				new ClassReader(bytes).accept(code, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		catch (IOException | IllegalArgumentException ex) {
			logger.debug("The class file of {} cannot be read. It is not checked for calls of locked methods", name,
					ex);
		}
		return code;
	}

	/**
	 * A class, or one inside of it.
	 */
	private static final class Code extends ClassVisitor {

		private final Type owner;

		private final boolean isOwner;

		/**
		 * Whether the class has a reference to an object of the owner.
		 */
		private boolean hasObject;

		private boolean isReference;

		/**
		 * The method that a class of the compiler of Kotlin is made for: a suspending
		 * function, a lambda or a reference, such as {@code Owner$method$1}.
		 */
		private @Nullable String enclosing;

		private final Set<String> inner = new TreeSet<>();

		private final List<Body> bodies = new ArrayList<>();

		private Code(Class<?> owner, String name) {
			super(SpringAsmInfo.ASM_VERSION);
			this.owner = Type.getType(owner);
			this.isOwner = name.equals(this.owner.getInternalName());
		}

		@Override
		public void visit(int version, int access, String name, @Nullable String signature, @Nullable String superName,
				String @Nullable [] interfaces) {
			this.isReference = superName != null && superName.matches(REFERENCE);
			if (!this.isOwner && superName != null
					&& (this.isReference || superName.startsWith("kotlin/coroutines/jvm/internal/"))) {
				this.enclosing = name.substring(this.owner.getInternalName().length() + 1).split("\\$", -1)[0];
			}
		}

		@Override
		public void visitInnerClass(String name, @Nullable String outerName, @Nullable String innerName, int access) {
			if (name.startsWith(this.owner.getInternalName() + "$")) {
				this.inner.add(name);
			}
		}

		@Override
		public @Nullable FieldVisitor visitField(int access, String name, String descriptor, @Nullable String signature,
				@Nullable Object value) {
			this.hasObject |= (access & Opcodes.ACC_SYNTHETIC) != 0 && descriptor.equals(this.owner.getDescriptor());
			return null;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String generics, String @Nullable [] exceptions) {
			// ::method has an object, but not Owner::method
			this.hasObject |= this.isReference && name.equals("<init>") && Type.getArgumentCount(descriptor) == 1;
			boolean suspending = name.endsWith(SUSPENDING);
			boolean lambda = name.contains(LAMBDA);
			boolean ofTheCompiler = suspending || lambda || (access & Opcodes.ACC_SYNTHETIC) != 0;
			if (ofTheCompiler && (isOfAFramework(this.owner.getClassName()) || !(suspending || lambda))) {
				// a bridge, or a method that fills in default values: called from outside
				return null;
			}
			// lambda$method$0, or method$lambda$0 in Kotlin
			String named = ofTheCompiler ? name.split("\\$", -1)[name.startsWith(LAMBDA) ? 1 : 0] : name;
			String method = (this.enclosing != null) ? this.enclosing : named;
			String signature = (suspending || this.enclosing != null) ? method + "(" : name + descriptor;
			Body body = new Body(this.owner, method, signature, ofTheCompiler || this.enclosing != null);
			body.fixed = !body.isPart && (access & (Opcodes.ACC_FINAL | Opcodes.ACC_PRIVATE)) == Opcodes.ACC_FINAL;
			body.another = this.isOwner && !ofTheCompiler
					&& List.of(Type.getArgumentTypes(descriptor)).contains(this.owner);
			this.bodies.add(body);
			return body;
		}

	}

	/**
	 * What runs as a method: itself, or a part that the compiler has put elsewhere.
	 */
	private static final class Body extends MethodVisitor {

		private final Type owner;

		private final String method;

		/**
		 * Name and descriptor, as far as they are known: a method that calls itself holds
		 * its lock already.
		 */
		private final String signature;

		private final boolean isPart;

		/**
		 * Whether the method is final and not private.
		 */
		private boolean fixed;

		private boolean another;

		/**
		 * Whether the compiler of Kotlin just read what it had put aside, and may cast
		 * it.
		 */
		private boolean restored;

		private final Set<String> calls = new HashSet<>();

		private Body(Type owner, String method, String signature, boolean isPart) {
			super(SpringAsmInfo.ASM_VERSION);
			this.owner = owner;
			this.method = method;
			this.signature = signature;
			this.isPart = isPart;
		}

		@Override
		public void visitMethodInsn(int opcode, String calledOwner, String name, String descriptor,
				boolean isInterface) {
			this.another |= Type.getReturnType(descriptor).equals(this.owner);
			this.restored = false;
			if (opcode != Opcodes.INVOKESPECIAL) {
				// a call by super runs under the lock of the overriding method
				note(calledOwner, name, descriptor);
			}
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String callDescriptor, Handle bootstrap, Object... arguments) {
			for (Object argument : arguments) {
				if (argument instanceof Handle handle) {
					note(handle.getOwner(), handle.getName(), handle.getDesc());
				}
				// what calls the lambda gives it the object
				this.another |= argument instanceof Type type && type.getSort() == Type.METHOD
						&& List.of(type.getArgumentTypes()).contains(this.owner);
			}
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			this.another |= !this.restored && type.equals(this.owner.getInternalName());
			this.restored = false;
		}

		@Override
		public void visitFieldInsn(int opcode, String fieldOwner, String name, String descriptor) {
			this.another |= !name.startsWith("this$") && descriptor.equals(this.owner.getDescriptor());
			this.restored = name.startsWith("L$") || name.equals("receiver");
		}

		private void note(String calledOwner, String name, String descriptor) {
			if (calledOwner.equals(this.owner.getInternalName())) {
				this.calls.add(name.endsWith(WITH_DEFAULTS) ? name : name + descriptor);
			}
		}

		private List<String> called(Map<String, String> names) {
			return this.calls.stream()
				.filter((each) -> names.containsKey(each) && !each.startsWith(this.signature)
						&& !each.equals(this.method + WITH_DEFAULTS))
				.map(names::get)
				.toList();
		}

	}

}
