package com.example.shop

import io.distributedlock.annotation.DistributedLock
import org.springframework.stereotype.Service

@Service
class Orders(private val payments: Payments, private val carrier: Carrier) {

	@DistributedLock(key = "#order.id")
	fun settle(order: Order): Receipt? = payments.charge(order)

	@DistributedLock(key = "#order.id")
	suspend fun ship(order: Order): Parcel? = carrier.collect(order)

}
