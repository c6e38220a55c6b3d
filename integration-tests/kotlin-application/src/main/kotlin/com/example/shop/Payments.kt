package com.example.shop

import org.springframework.stereotype.Component

interface Payments {

	/**
	 * Charge an order, or return null if there is nothing to pay.
	 */
	fun charge(order: Order): Receipt?

}

/** No runtime exception: Kotlin has no checked ones, so functions need not declare it. */
class PaymentRefusedException(order: Order) : Exception("Order ${order.id} was not paid")

@Component
class CardPayments : Payments {

	override fun charge(order: Order): Receipt? = when {
		order.amount < 0 -> throw PaymentRefusedException(order)
		order.amount == 0 -> null
		else -> Receipt(order.id, order.amount)
	}

}
