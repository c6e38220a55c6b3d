package io.distributedlock.examples;

import java.util.List;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class Invoices {

	private final Post post;

	Invoices(Post post) {
		this.post = post;
	}

	public void sendAll(List<String> ids) {
		ids.forEach(this::send);
	}

	@DistributedLock("#id")
	private void send(String id) {
		this.post.send(id);
	}

	interface Post {

		void send(String id);

	}

}
