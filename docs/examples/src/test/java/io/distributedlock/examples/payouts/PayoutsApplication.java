package io.distributedlock.examples.payouts;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class PayoutsApplication {

}
