package com.example.shop

data class Order(val id: String, val amount: Int)

data class Receipt(val order: String, val amount: Int)

data class Parcel(val order: String, val number: Int)
