package com.example.shop

import io.distributedlock.LockTemplate
import org.springframework.stereotype.Service
import kotlin.jvm.optionals.getOrNull

@Service
class Stock(private val lockTemplate: LockTemplate) {

	fun take(part: String, work: () -> Int): Int = lockTemplate.acquire("part:$part").use { work() }

	fun takeIfFree(part: String, work: () -> Int): Int? = lockTemplate.tryAcquire("part:$part").getOrNull()?.use { work() }

	fun count(part: String, work: () -> Int?): Int? = lockTemplate.execute<Int?, Exception>("part:$part") { work() }

}
