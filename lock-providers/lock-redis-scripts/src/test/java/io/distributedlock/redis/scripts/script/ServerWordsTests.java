package io.distributedlock.redis.scripts.script;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ServerWordsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', value = {
			"OOM command not allowed when used memory > 'maxmemory'. script: 1a2b, on @user_script:7. | OOM command not allowed when used memory > 'maxmemory'",
			"ERR Error running script (call to f_1a2b): @user_script:7: @user_script: 7: -OOM command not allowed | OOM command not allowed",
			"ERR Error running script (call to f_1a2b): @user_script:7: ERR value is no number | ERR value is no number",
			"ERR unknown command 'SCRIPT', with args beginning with: 'LOAD' 'local key' | ERR unknown command 'SCRIPT'",
			"ERR unknown command 'EVALSHA'. channel: [id: 1] command: (EVALSHA), params: [1a2b, 1, owner] | ERR unknown command 'EVALSHA'",
			"NOAUTH Authentication required. | NOAUTH Authentication required.", "\"\" | \"\"" })
	void parametersAreLeftOut(String message, String words) {
		assertThat(ServerWords.in(message)).isEqualTo(words);
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', value = {
			"ERR unknown command 'EVALSHA', with args beginning with: '1a2b' ; evalsha ; true",
			"NOPERM User me has no permissions to run the 'script|load' command ; script ; true",
			"ERR command 'EVALSHA' not support for normal user ; evalsha ; true",
			"ERR unknown command 'GET'. channel: [id: 1] command: (EVALSHA), params: [1a2b] ; evalsha ; false",
			"BUSY Redis is busy running a script. You can only call SCRIPT KILL ; script ; false",
			"ERR Unable to execute command 'exists' in script because undeclared keys were accessed during rehashing of the slot ; script ; false",
			"ERR bad lua script for redis cluster ; script ; false", "\"\" ; evalsha ; false" })
	void refusedCommandIsNamedInManyWays(String message, String command, boolean refused) {
		assertThat(ServerWords.refuse(message, command)).isEqualTo(refused);
	}

}
