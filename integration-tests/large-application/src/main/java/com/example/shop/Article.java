package com.example.shop;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

@Table
record Article(@Id long id, String name) {
}
