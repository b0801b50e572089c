// The screen of the account. A guest makes an account with a name and a passphrase, and stays the
// same player. A person signs in, sets a new passphrase with a recovery code, and signs out. The
// browser never stores passphrases or codes.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Frame } from "../pieces/frame";
import { Panel, Problem } from "../pieces/parts";
import { account, accountName, makeAccount, recoverAccount, signInTo, signOut } from "../state/account";
import { newId } from "../wire/call";
import { w } from "../words";

const Field = ({ label, more, value, set, secret = "", test }: {
  label: string; more?: string; value: string; set(value: string): void; secret?: "" | "current-password" | "new-password"; test: string;
}) => (
  <label>{label} <input class="field" data-test={test} required maxLength={128} type={secret ? "password" : "text"} autocomplete={secret || "username"} value={value} onInput={(event) => set(event.currentTarget.value)} />
    {more && <span class="muted s">{more}</span>}</label>
);

interface FormProps { title: string; more?: string; kind: "make" | "newCode" | "signIn" | "recover"; name: string; done(code: string): void }

/** A form for one of the calls. The form keeps the typed text until the call has succeeded. Each
 *  form needs a key. Without a key, a form that replaces another form would show the text that was
 *  typed into the other form. */
const Form = ({ title, more, kind, name: first, done }: FormProps) => {
  const { account: t } = w();
  const [name, passphrase, code, error, busy] = [useSignal(first), useSignal(""), useSignal(""), useSignal<unknown>(undefined), useSignal(false)];
  const request = useSignal(newId());
  const send = async () => {
    busy.value = true;
    error.value = undefined;
    try {
      if (kind === "signIn") { await signInTo(name.value, passphrase.value); done(""); }
      else if (kind === "recover") done(await recoverAccount(name.value, code.value, passphrase.value, request.value));
      else done(await makeAccount(name.value, passphrase.value));
      passphrase.value = code.value = "";
      request.value = newId();
    } catch (reason) { error.value = reason; }
    busy.value = false;
  };
  const fresh = kind === "make" || kind === "recover";
  return (
    <Panel title={title}>
      <form class="stack tight" data-test={kind} onSubmit={(event) => { event.preventDefault(); if (!busy.value) void send(); }}>
        {more && <p class="muted s">{more}</p>}
        {kind !== "newCode" && <Field test="name" label={t.name} value={name.value} set={(next) => { name.value = next; }} />}
        {kind === "recover" && <Field test="code" label={t.code} value={code.value} set={(next) => { code.value = next; }} />}
        <Field test="passphrase" label={kind === "recover" ? t.newPassphrase : t.passphrase} more={fresh ? t.passphraseMore : undefined} secret={fresh ? "new-password" : "current-password"} value={passphrase.value} set={(next) => { passphrase.value = next; }} />
        {error.value !== undefined && <Problem error={error.value} />}
        <p><button class="btn primary" aria-busy={busy.value}>{t[kind]}</button></p>
      </form>
    </Panel>
  );
};

export const AccountScreen = () => {
  const { account: t } = w();
  const person = account.value;
  const owned = useSignal<string | undefined>(undefined);
  const code = useSignal("");
  const error = useSignal<unknown>(undefined);
  const ask = () => {
    error.value = undefined;
    if (!account.value) { owned.value = ""; return; }
    accountName().then((name) => { owned.value = name; }, (reason) => { error.value = reason; });
  };
  useEffect(ask, [person?.player]);
  const done = (shown: string) => { code.value = shown; ask(); };
  const leave = (everywhere: boolean) => { signOut(everywhere).then(() => { owned.value = ""; }, (reason) => { error.value = reason; }); };
  return (
    <Frame><h1 class="title">{t.title}</h1>
      {error.value !== undefined && <Problem error={error.value} retry={ask} />}
      {code.value && <Panel title={t.codeTitle}><div class="stack tight" role="status"><p>{t.codeMore}</p><p class="strong" data-test="recovery-code">{code.value}</p>
        <p><button class="btn primary" data-test="code-done" onClick={() => { code.value = ""; }}>{t.codeDone}</button></p></div></Panel>}
      <div class="cols">
        {person && owned.value === "" && <Form key="make" kind="make" title={t.guestTitle} more={t.guest(person.name)} name={person.name} done={done} />}
        {person && owned.value && <>
          <Panel title={person.name}><div class="stack tight"><p data-test="owner">{t.owner(owned.value)}</p><p class="muted s">{t.outMore}</p>
            <p class="row tight wrap"><button class="btn" onClick={() => leave(false)}>{t.out}</button><button class="btn" data-test="out-all" onClick={() => leave(true)}>{t.outAll}</button></p></div></Panel>
          <Form key="newCode" kind="newCode" title={t.newCode} more={t.newCodeMore} name={owned.value} done={done} />
        </>}
        {!(person && owned.value) && <>
          <Form key="signIn" kind="signIn" title={t.signInTitle} more={person ? `${t.signInMore} ${t.replaces}` : t.signInMore} name="" done={done} />
          <Form key="recover" kind="recover" title={t.recoverTitle} more={t.recoverMore} name="" done={done} />
        </>}
      </div>
    </Frame>
  );
};
