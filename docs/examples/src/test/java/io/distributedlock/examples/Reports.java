package io.distributedlock.examples;

import io.distributedlock.annotation.DistributedSemaphore;

import org.springframework.stereotype.Service;

@Service
class Reports {

	private final Renderer renderer;

	Reports(Renderer renderer) {
		this.renderer = renderer;
	}

	@DistributedSemaphore(permits = "${reports.parallel}", waitTime = "30s")
	public void render(String report) {
		this.renderer.render(report);
	}

	interface Renderer {

		void render(String report);

	}

}
