CREATE TABLE IF NOT EXISTS distributed_lock (
	lock_key VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PRIMARY KEY,
	owner VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin,
	token BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS distributed_lock_row (
	lock_key VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin PRIMARY KEY,
	made_at BIGINT NOT NULL
) ENGINE = InnoDB;
-- a Galera cluster takes no other one, and 0 means auto_increment_increment
CREATE SEQUENCE IF NOT EXISTS distributed_lock_token INCREMENT BY 0;
CREATE TABLE IF NOT EXISTS distributed_lock_member (
	lock_key VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
	owner VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
	ticket BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	PRIMARY KEY (lock_key, owner)
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS distributed_lock_fence (
	resource VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PRIMARY KEY,
	token BIGINT NOT NULL
) ENGINE = InnoDB;
