// Tests that the page says when a list of tables is incomplete.
import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { Table_State } from "../../gen/tarot/rules/v1/table_pb";
import { ListTablesResponseSchema } from "../../gen/tarot/rules/v1/table_service_pb";
import { Lives } from "../../src/screens/lobby";
import { isIncomplete, live, loadLive, loadMine, mine } from "../../src/state/lobby_store";
import { loadWords } from "../../src/words";

/** Lets every call get this answer. */
function answerWith(page: MessageInitShape<typeof ListTablesResponseSchema>) {
  const frame = (flags: number, bytes: Uint8Array) => Buffer.concat([Buffer.from([flags, 0, 0, bytes.length >> 8, bytes.length & 255]), bytes]);
  const body = Buffer.concat([frame(0, toBinary(ListTablesResponseSchema, create(ListTablesResponseSchema, page))), frame(0x80, Buffer.from("grpc-status: 0\r\n"))]);
  globalThis.fetch = async () => new Response(body, { headers: { "content-type": "application/grpc-web+proto" } });
}

const TABLES = [{ name: "tables/1", state: Table_State.PLAYING }, { name: "tables/2", state: Table_State.FINISHED }];

/** Returns what the list shows, as JSON. */
const shown = (incomplete: boolean, names: string[]) => JSON.stringify(Lives({
  tables: create(ListTablesResponseSchema, { tables: names.map((name) => ({ name })) }).tables, incomplete, none: "NO TABLE",
}), (key, value) => (typeof value === "bigint" ? Number(value) : key.startsWith("_") ? undefined : value));

test("the lobby knows that a part of the platform did not answer", async () => {
  answerWith({ tables: TABLES, silentCells: [1] });
  await loadLive();
  assert.deepEqual(live.value.value?.tables.map((table) => table.name), ["tables/1", "tables/2"]);
  assert.ok(isIncomplete(live.value.value, mine.value.value));
  await loadMine();
  assert.deepEqual(mine.value.value?.tables.map((table) => table.name), ["tables/1"]);
  answerWith({ tables: TABLES });
  await loadLive();
  assert.ok(isIncomplete(live.value.value, mine.value.value), "the own table may lack");
  await loadMine();
  assert.ok(!isIncomplete(live.value.value, mine.value.value));
});

for (const [lang, sentence] of [["en", "This list is incomplete."], ["fr", "Cette liste est incomplète."]] as const) {
  test(`an incomplete list says so in ${lang}`, async () => {
    await loadWords(lang, ["core"]);
    assert.ok(shown(true, ["tables/1"]).includes(sentence));
    assert.ok(shown(true, ["tables/1"]).includes("tables/1"));
    assert.ok(!shown(false, ["tables/1"]).includes(sentence));
    assert.ok(shown(false, []).includes("NO TABLE"));
    assert.ok(!shown(true, []).includes("NO TABLE"), "there may be tables");
  });
}
