package io.distributedlock.spring

import io.distributedlock.annotation.DistributedLock
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatIllegalArgumentException
import org.junit.jupiter.api.Test

/**
 * The compiler's `toString()` of a data class joins the texts of its properties as they are, so they are checked one by one.
 */
class DataClassKeyTests {

	@Test
	fun propertiesOfADataClassAreChecked() {
		val provider = RecordingProvider()
		Contexts.open(provider, false, Places::class.java).use { context ->
			val places = context.getBean(Places::class.java)
			places.open(Place("a", listOf(1, 2)))
			places.open("a" to null)
			places.open(Mixed(1u, 2, Name("b")))
			assertThat(provider.keys()).containsExactly("t:Places.open:Place%5Ba,%5B1,2%5D%5D", "t:Places.open:Pair%5Ba,null%5D",
					"t:Places.open:Mixed%5B1,2,b%5D")
			assertThatIllegalArgumentException().isThrownBy { places.open(Place("a", setOf(1, 2))) }.withMessageContaining("part of a key")
		}
	}

	private data class Place(val name: String, private val parts: Collection<Int>)

	@JvmInline
	value class Name(val text: String)

	data class Mixed(val number: UInt, internal val part: Int, val name: Name)

	open class Places {

		@DistributedLock("#key")
		open fun open(key: Any) {
		}

	}

}
