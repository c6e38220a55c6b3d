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
			assertThatIllegalArgumentException().isThrownBy { places.open(Tags(setOf(1, 2))) }.withMessageContaining("part of a key")
		}
	}

	/**
	 * It may be taken apart without being a data class: there may be more than its components.
	 */
	@Test
	fun classWithComponentsOfItsOwnHasItsOwnText() {
		val provider = RecordingProvider()
		Contexts.open(provider, false, Places::class.java).use { context ->
			val places = context.getBean(Places::class.java)
			places.open(Seat("a", 1))
			places.open(Seat("a", 2))
			assertThat(provider.keys()).containsExactly("t:Places.open:a-1", "t:Places.open:a-2")
			assertThatIllegalArgumentException().isThrownBy { places.open(Row("a")) }.withMessageContaining("part of a key")
		}
	}

	/**
	 * The compiler passes the first argument unboxed, and the others boxed.
	 */
	@Test
	fun valueClassHasTheTextOfItsValueWhetherItIsBoxedOrNot() {
		val provider = RecordingProvider()
		Contexts.open(provider, false, Tickets::class.java).use { context ->
			val tickets = context.getBean(Tickets::class.java)
			tickets.unboxed(Ticket(1))
			tickets.boxed(Ticket(1))
			tickets.generic(Ticket(1))
			tickets.each(listOf(Ticket(1)))
			tickets.part(Ticket(1))
			tickets.property(Sale(Ticket(1)))
			tickets.generic(Sale(Ticket(1)))
			assertThat(provider.keys()).containsExactly("t:v:1", "t:v:1", "t:v:1", "t:v:1", "t:v:p-1", "t:v:1", "t:v:Sale%5B1%5D")
			assertThatIllegalArgumentException().isThrownBy { tickets.generic(Absent(null)) }.withMessageContaining("is null")
		}
	}

	@JvmInline
	value class Ticket(val number: Long)

	@JvmInline
	private value class Absent(val text: String?)

	data class Sale(val ticket: Ticket)

	/**
	 * The compiler of Kotlin does not make the `toString()` of a record final, as that of Java does.
	 */
	@JvmRecord
	data class Tags(val tags: Set<Int>)

	open class Tickets {

		@DistributedLock(name = "v", key = "#ticket")
		open fun unboxed(ticket: Ticket) {
		}

		@DistributedLock(name = "v", key = "#ticket")
		open fun boxed(ticket: Ticket?) {
		}

		@DistributedLock(name = "v", key = "#ticket")
		open fun generic(ticket: Any) {
		}

		@DistributedLock(name = "v", key = "#tickets")
		open fun each(tickets: List<Ticket>) {
		}

		@DistributedLock(name = "v", key = "'p-' + #ticket")
		open fun part(ticket: Ticket?) {
		}

		@DistributedLock(name = "v", key = "#sale.ticket")
		open fun property(sale: Sale) {
		}

	}

	private data class Place(val name: String, private val parts: Collection<Int>)

	private class Seat(val hall: String, val number: Int) {

		operator fun component1() = this.hall

		override fun toString() = "$hall-$number"

	}

	private class Row(val hall: String) {

		operator fun component1() = this.hall

	}

	@JvmInline
	value class Name(val text: String)

	data class Mixed(val number: UInt, internal val part: Int, val name: Name)

	open class Places {

		@DistributedLock("#key")
		open fun open(key: Any) {
		}

	}

}
