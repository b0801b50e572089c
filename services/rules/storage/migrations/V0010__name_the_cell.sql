-- The cell of this database (libs/base/cell.h). There is exactly one row. Each replica of rules
-- compares it with its --cell, so that it writes to no database of another cell.
CREATE TABLE rules.cells (
  cell_id smallint NOT NULL,
  CONSTRAINT cells_pk PRIMARY KEY (cell_id),
  CONSTRAINT cells_ck_id CHECK (cell_id BETWEEN 0 AND 255)
);
CREATE UNIQUE INDEX cells_uq_row ON rules.cells ((true));

-- All game tables of a database belong to one cell, so any id shows it: an id of version 8 has the
-- number of its cell in byte 7. A database without game tables belongs to cell 0, until
-- --migrate_only gets another number.
INSERT INTO rules.cells (cell_id)
SELECT coalesce((
  SELECT CASE WHEN substr(table_id::text, 15, 1) = '8'
              THEN get_byte(uuid_send(table_id), 7) ELSE 0 END
  FROM rules.tables LIMIT 1
), 0);
