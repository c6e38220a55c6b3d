package com.example.shop

import kotlinx.coroutines.delay
import org.springframework.stereotype.Component
import kotlin.time.Duration.Companion.milliseconds

interface Carrier {

	/**
	 * Collect an order, or return null if there is nothing to carry.
	 */
	suspend fun collect(order: Order): Parcel?

}

@Component
class ParcelService : Carrier {

	override suspend fun collect(order: Order): Parcel? {
		delay(10.milliseconds)
		return Parcel(order.id, 1).takeIf { order.amount > 0 }
	}

}
