package io.distributedlock.examples;

import io.distributedlock.spring.LockLostEvent;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class LostLockAlerts {

	private final Alerts alerts;

	LostLockAlerts(Alerts alerts) {
		this.alerts = alerts;
	}

	@EventListener
	void onLost(LockLostEvent event) {
		this.alerts.send("Lock lost: " + event.getLoss().getKey());
	}

	interface Alerts {

		void send(String text);

	}

}
