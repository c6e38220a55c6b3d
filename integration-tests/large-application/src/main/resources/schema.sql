create table article (id bigint primary key, name varchar(100));
