package io.distributedlock.spring.reach;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.util.ClassUtils;

/**
 * Finds final methods of an interface that read fields, such as {@code init} of a filter
 * of Spring. If the proxy is a subclass, they run on the proxy itself, whose fields have
 * no values.
 */
final class FinalMethods {

	private FinalMethods() {
	}

	/**
	 * Require that a class has no such method.
	 * @throws InvalidLockSetupException if it has one
	 */
	static void check(Class<?> userClass) {
		Stream.of(userClass.getMethods())
			.filter((method) -> Modifier.isFinal(method.getModifiers()) && isCalledOnTheProxy(method, userClass)
					&& readsFields(method))
			.findFirst()
			.ifPresent((method) -> {
				throw new InvalidLockSetupException(
						"A bean of type %s cannot be locked: %s.%s is final and reads a field. It would run on the proxy, whose fields have no values"
							.formatted(userClass.getName(), method.getDeclaringClass().getName(), method.getName()),
						"Move the locked method to another bean, use LockTemplate inside the method, or set lock.mode=aspectj",
						null);
			});
	}

	/**
	 * Return whether an interface declares a method, so that others call it on the proxy.
	 * Spring calls what it calls while it creates a bean on the bean itself.
	 */
	private static boolean isCalledOnTheProxy(Method method, Class<?> userClass) {
		Class<?> type = ClassUtils.getInterfaceMethodIfPossible(method, userClass).getDeclaringClass();
		return type.isInterface() && !Aware.class.isAssignableFrom(type) && type != InitializingBean.class
				&& type != DisposableBean.class;
	}

	private static boolean readsFields(Method method) {
		AtomicBoolean found = new AtomicBoolean();
		String owner = Type.getInternalName(method.getDeclaringClass());
		MethodVisitor fields = new MethodVisitor(SpringAsmInfo.ASM_VERSION) {
			@Override
			public void visitFieldInsn(int opcode, String declaring, String name, String descriptor) {
				if (opcode == Opcodes.GETFIELD && declaring.equals(owner)) {
					found.set(true);
				}
			}
		};
		SelfInvocations.read(method.getDeclaringClass(), new ClassVisitor(SpringAsmInfo.ASM_VERSION) {
			@Override
			public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
					@Nullable String signature, String @Nullable [] exceptions) {
				return (name.equals(method.getName()) && descriptor.equals(Type.getMethodDescriptor(method))) ? fields
						: null;
			}
		});
		return found.get();
	}

}
