// The screen with all live tables that a person can watch.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { TableService } from "../../gen/tarot/rules/v1/table_service_pb";
import type { Table } from "../../gen/tarot/rules/v1/table_pb";
import { Frame } from "../pieces/frame";
import { Empty, Loading, Problem } from "../pieces/parts";
import { ensureGuest, proposeName } from "../state/account";
import { isIncomplete } from "../state/lobby_store";
import { call } from "../wire/call";
import { w } from "../words";
import { Lives } from "./lobby";

export const Live = () => {
  const { live: t, lobby } = w();
  const tables = useSignal<Table[] | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const next = useSignal("");
  const incomplete = useSignal(false);
  const load = async (pageToken: string) => {
    try {
      await ensureGuest(proposeName());
      const page = await call(TableService.method.listTables, { pageSize: 30, pageToken });
      tables.value = [...(pageToken ? tables.value ?? [] : []), ...page.tables];
      next.value = page.nextPageToken;
      incomplete.value = isIncomplete(page) || (!!pageToken && incomplete.value);
      error.value = undefined;
    } catch (reason) { error.value = reason; }
  };
  useEffect(() => {
    void load("");
    const timer = setInterval(() => { if (document.visibilityState === "visible" && (tables.value?.length ?? 0) <= 30) void load(""); }, 10_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Frame>
      <h1 class="title">{t.title}</h1>
      {error.value !== undefined && <Problem error={error.value} retry={() => void load("")} />}
      {!tables.value ? <Loading rows={8} />
        : <Lives tables={tables.value} incomplete={incomplete.value} wide none={<Empty title={t.none} more={lobby.noLiveMore} href="/" action={lobby.play} />} />}
      {next.value && <p class="gap"><button class="btn" onClick={() => void load(next.value)}>{t.more}</button></p>}
    </Frame>
  );
};
