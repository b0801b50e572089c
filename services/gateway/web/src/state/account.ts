// The signed-in player: the session of a guest or of an account in this browser. The page sends the
// token only in a header.
import { computed, signal } from "@preact/signals";
import { SessionService, type Session } from "../../gen/tarot/gateway/v1/session_service_pb";
import { call, setIdentity } from "../wire/call";
import { read, remove, write } from "./store";

export interface Account {
  player: string;
  name: string;
  token: string;
  /** When the token expires, in milliseconds since 1970. */
  expires: number;
}

export const account = signal<Account | undefined>(read<Account>("account"));
export const me = computed(() => account.value?.player ?? "");
/** True if the server refused the token, so the person has to sign in again. */
export const signedOut = signal(false);

setIdentity({
  token: () => account.value?.token ?? "",
  refused: () => {
    if (!account.value) return;
    // Another tab may have a newer token.
    const stored = read<Account>("account");
    if (stored && stored.token !== account.value.token) { account.value = stored; return; }
    account.value = undefined;
    remove("account");
    signedOut.value = true;
  },
});

function keep(session: Session | undefined) {
  if (!session) return;
  account.value = {
    player: session.player, name: session.displayName, token: session.token,
    expires: Number(session.expireTime?.seconds ?? 0) * 1000,
  };
  write("account", account.value);
  signedOut.value = false;
}

const FIRST = ["Valet", "Cavalier", "Dame", "Roi", "Petit", "Atout", "Pique", "Chien", "Trèfle", "Carreau"];
const SECOND = ["agile", "calme", "curieux", "discret", "joyeux", "malin", "patient", "rapide", "rusé", "vif"];
const pick = (list: string[]) => list[Math.floor(Math.random() * list.length)]!;

/** Returns a name for a guest who has given none. The digits make an equal name unlikely. */
export function proposeName(): string {
  return `${pick(FIRST)} ${pick(SECOND)} ${10 + Math.floor(Math.random() * 90)}`;
}

/** Makes a guest if no player is signed in. */
export async function ensureGuest(name: string): Promise<void> {
  if (account.value) return;
  const answer = await call(SessionService.method.createGuestSession, { displayName: name });
  keep(answer.session);
}

/** Returns the name of this player's account; empty for a guest. */
export const accountName = async (): Promise<string> =>
  (await call(SessionService.method.getAccount, {})).account?.displayName ?? "";

/** Makes an account of this player, or a new recovery code. Returns the code. */
export async function makeAccount(displayName: string, passphrase: string): Promise<string> {
  const answer = await call(SessionService.method.createAccount, { displayName, passphrase });
  keep(answer.session);
  return answer.recoveryCode;
}

export async function signInTo(displayName: string, passphrase: string): Promise<void> {
  keep((await call(SessionService.method.signIn, { displayName, passphrase })).session);
}

/** Sets a new passphrase. Returns the new recovery code. A repeat has the same `requestId`. */
export async function recoverAccount(displayName: string, recoveryCode: string, newPassphrase: string, requestId: string): Promise<string> {
  const answer = await call(SessionService.method.recoverAccount, { displayName, recoveryCode, newPassphrase, requestId });
  keep(answer.session);
  return answer.recoveryCode;
}

const DAY = 86_400_000;

/** Gets a newer token when the token is more than a day old. A token lives for a week, so a guest who
 *  comes back within a week keeps the account. */
export async function refreshIfOld(): Promise<void> {
  const now = account.value;
  if (!now || now.expires - Date.now() > 6 * DAY) return;
  const answer = await call(SessionService.method.refreshSession, {});
  keep(answer.session);
}

export async function signOut(everywhere: boolean): Promise<void> {
  await call(SessionService.method.signOut, { everywhere });
  account.value = undefined;
  remove("account");
}

/** Follows another tab that signs in or out. */
export function followOtherTabs() {
  addEventListener("storage", (event) => {
    if (event.key === "tarot.account") account.value = read<Account>("account");
  });
}
