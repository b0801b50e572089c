// The actions on another player at the table: see the profile, be friends, mute, block,
// report.
import { useSignal } from "@preact/signals";
import { FriendService, PlayerReport_Reason } from "../../../gen/tarot/matchmaking/v1/friend_service_pb";
import { Dialog, isBot, playerPath, Problem } from "../../pieces/parts";
import type { TableStore } from "../../state/table_store";
import { call } from "../../wire/call";
import { w } from "../../words";

export const PersonDialog = ({ store, seat, close }: { store: TableStore; seat: number; close(): void }) => {
  const { talk: t } = w();
  const table = store.table!;
  const person = table.seats[seat]!;
  const said = useSignal("");
  const error = useSignal<unknown>(undefined);
  const reporting = useSignal(false);
  const { player } = person;
  const run = (work: Promise<unknown>, done: string) => {
    error.value = undefined;
    work.then(() => { said.value = done; reporting.value = false; }, (reason) => { error.value = reason; });
  };
  const muted = table.mutedSeats.includes(seat);
  const seated = table.viewer !== undefined;
  return (
    <Dialog title={reporting.value ? t.reportTitle(person.displayName) : person.displayName} close={close}>
      {reporting.value ? (
        <div class="stack tight">
          {[1, 2, 3, 4].map((reason) => (
            <button class="btn" key={reason} onClick={() => run(call(FriendService.method.reportPlayer, {
              table: table.name, dealNumber: table.dealNumber, player, reason: reason as PlayerReport_Reason,
            }), t.reported)}>{t.reportReasons[reason]}</button>
          ))}
        </div>
      ) : (
        <div class="stack tight">
          <a class="btn" href={playerPath(player)}>{t.profile}</a>
          {!isBot(person) && <button class="btn" onClick={() => run(call(FriendService.method.requestFriend, { player }), t.requested)}>{t.friend}</button>}
          {seated && <button class="btn" onClick={() => { void store.mute(seat, !muted); close(); }}>{muted ? t.unmute : t.mute}</button>}
          {!isBot(person) && <button class="btn" onClick={() => run(call(FriendService.method.blockPlayer, { player }), t.blocked)}>{t.block}</button>}
          {!isBot(person) && seated && <button class="btn" onClick={() => { reporting.value = true; }}>{t.report}</button>}
        </div>
      )}
      <p class="s gap" role="status">{said.value}</p>
      {error.value !== undefined && <Problem error={error.value} />}
    </Dialog>
  );
};
