package io.distributedlock.spring

import io.distributedlock.annotation.DistributedLock
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith
import org.springframework.boot.test.system.CapturedOutput
import org.springframework.boot.test.system.OutputCaptureExtension

/**
 * The compiler makes final overloads with the annotation of the function. They call it through the proxy.
 */
@Tag("proxies")
@ExtendWith(OutputCaptureExtension::class)
internal class OverloadTests {

	private val provider = RecordingProvider()

	@Test
	fun overloadIsLockedOnceAndNotWarnedAbout(output: CapturedOutput) {
		Contexts.open(provider, false, Overloaded::class.java).use { context ->
			val bean = context.getBean(Overloaded::class.java)
			val overload = Overloaded::class.java.getMethod("settle", String::class.java)
			assertThat(overload.isAnnotationPresent(DistributedLock::class.java)).isTrue()
			assertThat(overload.invoke(bean, "1")).isEqualTo("1, 2 times")
			assertThat(provider.keys()).containsExactly("t:settle:1")
			assertThat(output).contains("Overloaded.fixed(String, int): a proxy cannot intercept").doesNotContain("settle(String):")
				.doesNotContain("Overloaded.fixed(String):")
		}
	}

	open class Overloaded {

		@JvmOverloads
		@DistributedLock(name = "settle", key = "#id")
		open fun settle(id: String, times: Int = 2): String = "$id, $times times"

		@JvmOverloads
		@DistributedLock("#id")
		fun fixed(id: String, times: Int = 2): String = "$id, $times times"

	}

}
