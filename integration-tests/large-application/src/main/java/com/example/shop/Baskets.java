package com.example.shop;

import org.springframework.data.repository.CrudRepository;

interface Baskets extends CrudRepository<Basket, String> {

}
