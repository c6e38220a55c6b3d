package io.distributedlock.redis.scripts.script;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptDigestTests {

	@Test
	void digestIsThatOfScriptLoad() {
		// the answer of SCRIPT LOAD "return 1"
		assertThat(ScriptDigest.of("return 1")).isEqualTo("e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
	}

}
