package com.example.shop;

import org.springframework.data.annotation.Id;
import org.springframework.data.redis.core.RedisHash;

@RedisHash("basket")
record Basket(@Id String id, String article) {
}
