// French: the words of the table's first views.
import { cardList, cardName, theCard } from "./cards";
import type { Game } from "./en_game";

const contracts = ["", "Passe", "Prise", "Garde", "Garde sans", "Garde contre"];
const many = (n: number, one: string, more: string) => `${n} ${n < 2 ? one : more}`;
const numbers = ["aucun", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"];
const numberWord = (n: number) => numbers[n] ?? String(n);
const feminine = (n: number) => (n === 1 ? "une" : numberWord(n));

export const game: Game = {
  table: {
    ranked: "Partie classée",
    casual: "Partie amicale",
    deal: "donne",
    leave: "Quitter la table",
    felt: "Table",
    sheet: "Feuille de marque",
    lastTrickAndDog: "Dernier pli et chien",
    soundOn: "Le son est actif",
    soundOff: "Le son est coupé",
    settings: "Réglages",
    taker: "Preneur",
    partner: "Partenaire",
    dealer: "Donneur",
    defence: "Défense",
    unknownCamp: "camp inconnu",
    away: "absent",
    sitsOut: "ne joue pas",
    heldByBot: "un bot joue pour l’instant",
    disconnected: "connexion perdue",
    tricks: (n) => many(n, "pli", "plis"),
    trickOf: (n, total) => `${n} / ${total}`,
    trick: "Pli",
    handful: "Poignée",
    yours: "à vous",
    slam: "Chelem annoncé",
    called: (card) => `${card} : carte appelée`,
    alone: "joue seul",
    winning: "maître",
    last: "Dernier pli",
    dog: "Le chien",
    thisDeal: "Cette donne",
    total: "Total",
    made: "réussie de",
    failed: "chutée de",
    passed: "tous passent",
    petitSec: "petit sec",
    voided: "annulée",
    auction: "enchères",
    plays: "joue",
    makesDiscard: "fait l’écart",
    calls: "appelle",
    hand: (n) => `Votre main, ${many(n, "carte", "cartes")}`,
    yourTurn: "À vous",
    sent: "Envoyé",
    thinking: (name) => `${name} réfléchit`,
    watching: "Vous regardez cette table. Les mains restent cachées.",
    turnLead: "À vous d’entamer, carte libre.",
    turnLeadSome: "À vous d’entamer. Les cartes ternes ne partent pas.",
    turnFollow: (suit) => `À vous. ${suit[0]!.toUpperCase()}${suit.slice(1)} demandé : fournissez.`,
    turnTrump: (suit) => `À vous. Pas de ${suit} : coupez.`,
    turnOver: (n) => `À vous. Montez au-dessus du ${n}.`,
    turnFree: "À vous : carte libre.",
    turnSome: "À vous. Les cartes claires peuvent partir.",
    turnBid: "À vous de parler",
    turnCall: "À vous d’appeler",
    turnDiscard: (n) => (n > 0 ? `Encore ${feminine(n)} ${n === 1 ? "carte" : "cartes"}` : "Votre écart est prêt"),
    turnSlam: "Annoncez un chelem, ou non",
    turnHandful: "Montrez une poignée, ou jouez",
    secondTap: (card) => `Touchez encore pour jouer ${card}`,
    notYourTurn: (name) => `C’est à ${name}.`,
    ahead: (card, winner) => (winner ? `${card} part si ${winner} reste maître.` : `${card} part à votre tour.`),
    aheadGone: "Le pli a changé : votre carte reste.",
    notThat: (reason) => `Pas celle-ci. ${reason}`,
    connecting: "Reconnexion. La table garde votre temps.",
    paused: "Le jeu est en pause.",
    dealing: "La donne suivante arrive.",
    setBack: "Le serveur a perdu les derniers coups de cette table. Voici la table maintenant.",
    botHolds: "Un bot joue pour vous.",
    takeBack: "Reprendre ma place",
    secretPartner: (name) => `Vous avez la carte appelée : vous jouez avec ${name}. Vous seul le savez.`,
    knownPartner: (name) => `${name} joue avec vous.`,
    noTable: "Cette table n’est plus là.",
    toLobby: "Vers l’accueil",
    phrases: ["", "Bonjour", "Bien joué", "Tant pis", "Merci", "Un instant", "Belle partie"],
    say: "Dire",
    options: "La table",
    matchOver: "La partie est finie.",
  },
  ask: {
    bid: "Votre enchère", bidFirst: "Vous parlez en premier.",
    bidPassed: (n, left) => `${n ? (n === 1 ? "Un joueur a passé." : `${numberWord(n)[0]!.toUpperCase()}${numberWord(n).slice(1)} ont passé.`) : "Personne n’a passé."} ${left ? `Après vous, ${left === 1 ? "un joueur parle" : `${numberWord(left)} joueurs parlent`}.` : "Vous parlez en dernier."}`,
    bidHigh: (name, contract) => `${name} : ${contract}.`,
    fates: ["", "", "avec le chien", "avec le chien", "chien caché, à vous", "chien à la défense"],
    closed: "fermée",
    trumps: (n) => many(n, "atout", "atouts"), bouts: (n) => many(n, "bout", "bouts"), bout: { 56: "le Petit", 76: "le 21", 77: "l’Excuse" },
    kings: (n) => (n ? many(n, "Roi", "Rois") : "aucun Roi"),
    needs: (bouts) => `avec ${many(bouts, "bout", "bouts")} il faut`,
    needsNow: (bouts) => `${many(bouts, "bout", "bouts")} : il faut`,
    call: "Appelez une carte", callKing: "Appelez un Roi", callMore: "Celui qui l’a joue avec vous, en secret.", callIt: (card) => `Appeler ${card}`, callYours: "à vous : seul", callNobody: "N’appeler personne : jouer seul",
    discard: (n) => `Votre écart : ${feminine(n)} ${n === 1 ? "carte" : "cartes"}`, discardMore: "Personne ne les voit. Les cartes ternes restent.", discardTrumps: (n) => `${many(n, "atout doit", "atouts doivent")} partir, et tous ${n === 1 ? "le voient" : "les voient"}.`,
    void: "coupe à", loneAce: "l’as sec", inDiscard: "à l’écart", pointsWord: "points",
    lay: "Poser l’écart et jouer", slam: "Annoncer un chelem…", slamSure: "Un chelem prend tous les plis. Manqué, il coûte cher. L’annoncer ?", slamYes: "Oui, l’annoncer", slamNo: "Non",
    slamTitle: "Annoncer un chelem ?", slamMore: "Vous dites que vous ferez tous les plis.", noSlam: "Pas de chelem",
    handful: "Montrer une poignée ?", handfulMore: (n, total) => `${n} de vos ${total} atouts. Seulement avant votre première carte.`,
    handfulShow: (n) => `Montrer ces ${n}`, handfulOther: "Changer", handfulNo: "Non", handfulSizes: ["", "simple", "double", "triple"],
  },
  say: {
    deal: (n) => `Donne ${n}.`,
    turn: (parts) => `À vous. ${parts}`,
    led: (name, card) => `${name} a entamé ${card}`,
    wins: (name, card) => `${name} est maître avec ${card}`,
    choices: { follow: "Fournissez", trump: "Coupez", over: "Montez", any: "Vous pouvez jouer" },
    event(h, name) {
      switch (h.kind) {
        case "deal": return `Donne ${h.number}.`;
        case "bid": return h.contract === 1 ? `${name(h.seat)} passe.` : `${name(h.seat)} : ${contracts[h.contract]!.toLowerCase()}.`;
        case "taker": return `${name(h.seat)} prend : ${contracts[h.contract]!.toLowerCase()}.`;
        case "call": return h.card === undefined ? `${name(h.seat)} joue seul.` : `${name(h.seat)} appelle ${theCard(h.card, "fr")}.`;
        case "dog": return `Le chien : ${cardList(h.cards, "fr")}.`;
        case "laid": return `${name(h.seat)} pose l’écart.`;
        case "slam": return `${name(h.seat)} annonce un chelem.`;
        case "handful": return `${name(h.seat)} montre une poignée de ${h.size}.`;
        case "lead": return `${name(h.seat)} entame ${theCard(h.card, "fr")}.`;
        case "play": return `${name(h.seat)} : ${cardName(h.card, "fr")}.`;
        case "trick": return `${name(h.seat)} fait le pli ${h.number}.`;
        case "partner": return `${name(h.seat)} est le partenaire.`;
        case "held": return h.held ? `Un bot joue pour ${name(h.seat)}.` : `${name(h.seat)} est de retour.`;
        case "phrase": return `${name(h.seat)} dit : ${game.table.phrases[h.phrase]}.`;
        case "result": return h.won === undefined ? "La donne est finie." : h.won ? `Réussie de ${h.difference}.` : `Chutée de ${h.difference}.`;
        case "back": return `${name(h.seat)} reprend une carte.`;
      }
    },
    clock: "Encore dix secondes.",
  },
  keyNames: { T: "A", S: "P", H: "C", D: "K", C: "T", X: "X" },
};
