package io.distributedlock.examples;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnLost;

import org.springframework.stereotype.Service;

@Service
class Exports {

	private final Archive archive;

	Exports(Archive archive) {
		this.archive = archive;
	}

	@DistributedLock(name = "export", leaseTime = "${export.lease-time}", onLost = OnLost.INTERRUPT)
	public void export() throws InterruptedException {
		this.archive.writeAll();
	}

	interface Archive {

		void writeAll() throws InterruptedException;

	}

}
