package io.distributedlock.sample.coordinator;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Kills a node in the middle of a refresh: when it asks the API for a new token. Each
 * node calls the API below a path of its own, so that its calls are known.
 */
@Component
class NodeKiller extends OncePerRequestFilter {

	private static final Pattern CALL = Pattern.compile("/api-of-node/(\\d+)(/cgi-bin/.*)");

	private final Set<Integer> pending = ConcurrentHashMap.newKeySet();

	private final NodeProcesses processes;

	NodeKiller(NodeProcesses processes) {
		this.processes = processes;
	}

	/**
	 * Return the address of the API for a node.
	 */
	static String apiOf(int node, int port) {
		return "http://127.0.0.1:%s/api-of-node/%s".formatted(port, node);
	}

	void killInRefresh(int node) {
		this.pending.add(node);
	}

	boolean isPending(int node) {
		return this.pending.contains(node);
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		Matcher call = CALL.matcher(request.getRequestURI());
		if (!call.matches()) {
			chain.doFilter(request, response);
			return;
		}
		int node = Integer.parseInt(call.group(1));
		if (call.group(2).equals("/cgi-bin/token") && this.pending.remove(node)) {
			this.processes.kill(node);
			response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
			return;
		}
		request.getRequestDispatcher(call.group(2)).forward(request, response);
	}

}
