// French: the words of accounts.
import type { AccountWords } from "./en_account";

export const account: AccountWords = {
  account: {
    title: "Compte", guestTitle: "Garder ce joueur", guest: (name) => `Vous jouez en invité sous le nom ${name}. Avec un nom et une phrase de passe, vous gardez votre cote et votre historique, et pouvez vous connecter sur d’autres appareils.`,
    owner: (name) => `Ce joueur a le compte ${name}. Son nom et sa phrase de passe vous connectent sur d’autres appareils.`,
    name: "Nom", passphrase: "Phrase de passe", passphraseMore: "10 caractères ou plus ; quelques mots conviennent.", newPassphrase: "Nouvelle phrase de passe", make: "Créer le compte",
    codeTitle: "Votre code de secours", codeMore: "Notez-le. Il donne une nouvelle phrase de passe si vous oubliez la vôtre. Il ne s’affiche que maintenant, et sert une fois.", codeDone: "Je l’ai noté", newCode: "Nouveau code de secours", newCodeMore: "Tapez encore la phrase de passe. L’ancien code ne servira plus.",
    signIn: "Se connecter", signInTitle: "Se connecter à un compte", signInMore: "Vous avez joué sur un autre appareil ? Connectez-vous ici.", replaces: "L’invité de ce navigateur est alors perdu, sauf s’il a un compte.",
    recover: "Utiliser le code de secours", recoverTitle: "Phrase de passe oubliée", code: "Code de secours", recoverMore: "Tous les autres appareils seront déconnectés.",
    signedIn: (name) => `Vous êtes connecté : ${name}.`, out: "Se déconnecter", outAll: "Se déconnecter partout", outMore: "Il vous faudra ensuite le nom et la phrase de passe.",
  },
};
