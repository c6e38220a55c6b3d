package com.example.shop

import io.distributedlock.LockContext
import io.distributedlock.LockNotAcquiredException
import io.distributedlock.test.server.RedisTestServer
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.beans.factory.getBean
import org.springframework.boot.fromApplication
import org.springframework.boot.with
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Primary

/**
 * Two nodes of an application in Kotlin lock on one Redis.
 */
@Timeout(120)
internal class KotlinApplicationTests {

	private val orders = node.getBean<Orders>()

	private val ordersOfOther = other.getBean<Orders>()

	private val gate = node.getBean<Gate>()

	@AfterEach
	fun openGate() {
		gate.inside = {}
		gate.suspended = {}
	}

	@Test
	fun parameterIsNamedInTheKey() {
		var key: String? = null
		gate.inside = { key = LockContext.current().key().also { assertThat(isTaken(it)).isTrue() } }
		assertThat(orders.settle(Order("named", 5))).isEqualTo(Receipt("named", 5))
		assertThat(key).startsWith("shop:lock:com.example.shop.Orders.settle").endsWith(":named")
		assertThat(isTaken(key!!)).isFalse()
	}

	@Test
	fun callsForOneOrderExcludeEachOther() {
		val order = Order("once", 5)
		gate.inside = {
			assertThatExceptionOfType(LockNotAcquiredException::class.java).isThrownBy { ordersOfOther.settle(order) }
			assertThat(ordersOfOther.settle(order.copy(id = "another"))).isNotNull()
		}
		assertThat(orders.settle(order)).isEqualTo(Receipt("once", 5))
		assertThat(ordersOfOther.settle(order)).isEqualTo(Receipt("once", 5))
	}

	@Test
	fun lockIsHeldWhileAFunctionIsSuspended() = runBlocking<Unit> {
		val order = Order("suspended", 5)
		val suspended = CompletableDeferred<Unit>()
		val collected = CompletableDeferred<Unit>()
		gate.suspended = {
			suspended.complete(Unit)
			collected.await()
		}
		val shipping = async(Dispatchers.Default) { orders.ship(order) }
		suspended.await()
		assertThat(runCatching { ordersOfOther.ship(order) }.exceptionOrNull())
			.isInstanceOf(LockNotAcquiredException::class.java)
		collected.complete(Unit)
		assertThat(shipping.await()).isEqualTo(Parcel("suspended", 1))
		assertThat(ordersOfOther.ship(order)).isEqualTo(Parcel("suspended", 1))
	}

	@Test
	fun nullIsReturned() = runBlocking<Unit> {
		val order = Order("free", 0)
		assertThat(orders.settle(order)).isNull()
		assertThat(orders.ship(order)).isNull()
		assertThat(ordersOfOther.settle(order)).`as`("after the release").isNull()
	}

	@Test
	fun exceptionIsNotChanged() = runBlocking<Unit> {
		val order = Order("refused", 5)
		val refused = PaymentRefusedException(order)
		gate.inside = { throw refused }
		gate.suspended = { throw refused }
		assertThat(runCatching { orders.settle(order) }.exceptionOrNull()).isSameAs(refused)
		assertThat(runCatching { orders.ship(order) }.exceptionOrNull()).isSameAs(refused)
		assertThat(ordersOfOther.settle(order)).`as`("after the release").isNotNull()
		assertThat(ordersOfOther.ship(order)).`as`("after the release").isNotNull()
	}

	@Test
	fun blockOfCodeIsLocked() {
		val stock = node.getBean<Stock>()
		val stockOfOther = other.getBean<Stock>()
		assertThat(stock.take("7") {
			assertThat(stockOfOther.takeIfFree("7") { 2 }).isNull()
			assertThat(stockOfOther.takeIfFree("8") { 2 }).isEqualTo(2)
			1
		}).isEqualTo(1)
		assertThat(stockOfOther.takeIfFree("7") { 2 }).isEqualTo(2)
		assertThat(stock.count("7") {
			assertThat(stockOfOther.takeIfFree("7") { 2 }).isNull()
			null
		}).isNull()
	}

	private fun isTaken(key: String) = redis.command("EXISTS", key) == 1L

	/**
	 * What a test does while a lock is held.
	 */
	class Gate {

		@Volatile
		var inside: () -> Unit = {}

		@Volatile
		var suspended: suspend () -> Unit = {}

	}

	@Configuration(proxyBeanMethods = false)
	class Gates {

		@Bean
		fun gate() = Gate()

		@Bean
		@Primary
		fun gatedPayments(gate: Gate, payments: CardPayments) = object : Payments {
			override fun charge(order: Order): Receipt? {
				gate.inside()
				return payments.charge(order)
			}
		}

		@Bean
		@Primary
		fun gatedCarrier(gate: Gate, carrier: ParcelService) = object : Carrier {
			override suspend fun collect(order: Order): Parcel? {
				gate.suspended()
				return carrier.collect(order)
			}
		}

	}

	companion object {

		private lateinit var redis: RedisTestServer

		private lateinit var node: ConfigurableApplicationContext

		private lateinit var other: ConfigurableApplicationContext

		@BeforeAll
		@JvmStatic
		fun start() {
			redis = RedisTestServer.run()
			node = startNode()
			other = startNode()
		}

		@AfterAll
		@JvmStatic
		fun stop() {
			other.close()
			node.close()
			redis.close()
		}

		private fun startNode() = fromApplication<ShopApplication>()
			.with(Gates::class)
			.run("--spring.data.redis.port=${redis.port()}", "--lock.command-timeout=20s")
			.applicationContext

	}

}
