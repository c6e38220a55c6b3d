package io.distributedlock.redis.scripts.script;

import io.distributedlock.redis.scripts.LockScripts;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptTests {

	@Test
	void digestIsThatOfScriptLoad() {
		// the answer of SCRIPT LOAD "return 1"
		assertThat(Script.digest("return 1")).isEqualTo("e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
	}

	@Test
	void variantIsTheSameScriptWhereNoFileDiffers() {
		Script release = LockScripts.REDISSON.release();
		assertThat(release.variant("redisson-sharded").source()).contains("'spublish'").doesNotContain("'numsub'");
		assertThat(release.variant("redisson-sharded")).isSameAs(release.variant("redisson-sharded"));
		assertThat(release.variant("redisson-declared")).isSameAs(release);
	}

}
