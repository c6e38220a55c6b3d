--liquibase formatted sql
--changeset shop:1
--preconditions onFail:HALT
--precondition-sql-check expectedResult:0 select count(*) from information_schema.tables where table_name = 'DISTRIBUTED_LOCK'
create table orders (id int primary key);
