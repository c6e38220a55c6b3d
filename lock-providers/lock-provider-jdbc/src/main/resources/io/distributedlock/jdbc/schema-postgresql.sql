CREATE TABLE IF NOT EXISTS distributed_lock (
	lock_key VARCHAR(255) COLLATE "C" PRIMARY KEY,
	owner VARCHAR(64),
	token BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS distributed_lock_row (
	lock_key VARCHAR(255) COLLATE "C" PRIMARY KEY,
	made_at BIGINT NOT NULL
);
CREATE SEQUENCE IF NOT EXISTS distributed_lock_token;
CREATE TABLE IF NOT EXISTS distributed_lock_member (
	lock_key VARCHAR(255) COLLATE "C" NOT NULL,
	owner VARCHAR(64) NOT NULL,
	ticket BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	PRIMARY KEY (lock_key, owner)
);
CREATE TABLE IF NOT EXISTS distributed_lock_fence (
	resource VARCHAR(255) COLLATE "C" PRIMARY KEY,
	token BIGINT NOT NULL
);
