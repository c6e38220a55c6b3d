package io.distributedlock.examples;

import io.distributedlock.event.LockEvent;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class LostLockAlerts {

	private final Alerts alerts;

	LostLockAlerts(Alerts alerts) {
		this.alerts = alerts;
	}

	@EventListener
	void onLost(LockEvent.Lost event) {
		this.alerts.send("Lock lost: " + event.lock().key());
	}

	interface Alerts {

		void send(String text);

	}

}
