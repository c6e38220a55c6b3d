/**
 * What an application consists of, to compare it with and without a starter.
 */
@NullMarked
package com.example.shop.report;

import org.jspecify.annotations.NullMarked;
