// English: the words of accounts.
export const account = {
  account: {
    title: "Account", guestTitle: "Keep this player", guest: (name: string) => `You play as the guest ${name}. With a name and a passphrase you keep your rating and your history, and can sign in on other devices.`,
    owner: (name: string) => `This player has the account ${name}. You can sign in on other devices with its name and passphrase.`,
    name: "Name", passphrase: "Passphrase", passphraseMore: "10 characters or more; a few words are good.", newPassphrase: "New passphrase", make: "Make the account",
    codeTitle: "Your recovery code", codeMore: "Write it down. It sets a new passphrase if you forget yours. It is shown only now, and works once.", codeDone: "I have written it down", newCode: "New recovery code", newCodeMore: "Type the passphrase again. The old code then works no more.",
    signIn: "Sign in", signInTitle: "Sign in to an account", signInMore: "Did you play on another device? Sign in here.", replaces: "The guest of this browser is then lost, unless it has an account.",
    recover: "Use the recovery code", recoverTitle: "Forgotten passphrase", code: "Recovery code", recoverMore: "This signs all other devices out.",
    signedIn: (name: string) => `You are signed in as ${name}.`, out: "Sign out", outAll: "Sign out everywhere", outMore: "Signed out, you need the name and the passphrase again.",
  },
};
export type AccountWords = typeof account;
