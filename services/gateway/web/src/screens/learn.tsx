// Learn: a first deal in nine steps. Each step shows cards, asks for a choice, and says what the
// choice means.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Contract } from "../../gen/tarot/rules/v1/rule_set_pb";
import { Card } from "../pieces/card";
import { Frame } from "../pieces/frame";
import { proposeName } from "../state/account";
import { choose, play } from "../state/lobby_store";
import { go } from "../state/route";
import { account } from "../state/account";
import { w } from "../words";

const S = (rank: number) => rank - 1, H = (rank: number) => 13 + rank, D = (rank: number) => 27 + rank, C = (rank: number) => 41 + rank, T = (rank: number) => 55 + rank, X = 77;

interface Answer { good: boolean; text: string }

/** A row of cards to choose from. */
const Choose = ({ cards, answer, done }: { cards: readonly number[]; answer(card: number): Answer; done(good: boolean): void }) => {
  const chosen = useSignal<number | undefined>(undefined);
  const said = chosen.value === undefined ? undefined : answer(chosen.value);
  return (
    <>
      <div class="lessoncards">{cards.map((card) => (
        <button key={card} aria-label={w().card(card)} aria-pressed={chosen.value === card} data-card={card} onClick={() => { chosen.value = card; done(answer(card).good); }}><Card card={card} mark={chosen.value === card ? "chosen" : ""} hidden /></button>
      ))}</div>
      <p class={`verdictline ${said ? (said.good ? "up" : "") : ""}`} role="status">{said && <><b>{said.good ? w().learn.right : w().learn.wrong}</b> {said.text}</>}</p>
    </>
  );
};

const Words = ({ options, answer, done }: { options: readonly (readonly [number, string])[]; answer(value: number): Answer; done(good: boolean): void }) => {
  const chosen = useSignal<number | undefined>(undefined);
  const said = chosen.value === undefined ? undefined : answer(chosen.value);
  return (
    <>
      <div class="row wrap">{options.map(([value, text]) => <button key={value} class={`btn ${chosen.value === value ? "gold" : ""}`} data-answer={value} aria-pressed={chosen.value === value} onClick={() => { chosen.value = value; done(answer(value).good); }}>{text}</button>)}</div>
      <p class={`verdictline ${said?.good ? "up" : ""}`} role="status">{said && <><b>{said.good ? w().learn.right : w().learn.wrong}</b> {said.text}</>}</p>
    </>
  );
};

const Row = ({ cards }: { cards: readonly number[] }) => <div class="lessoncards">{cards.map((card) => <Card key={card} card={card} />)}</div>;

const HAND = [T(21), T(17), T(15), T(12), T(10), T(8), T(6), T(4), T(2), X, S(14), S(9), H(13), H(5), D(14), D(7), C(8), C(3)];

const Voids = ({ done }: { done(good: boolean): void }) => {
  const { learn: t } = w();
  const away = useSignal<number[]>([]);
  const said = useSignal("");
  const tap = (card: number) => {
    if (card < C(1) || card > C(14)) { said.value = `${t.wrong} ${t.dogWrong}`; return; }
    away.value = away.value.includes(card) ? away.value : [...away.value, card];
    said.value = away.value.length === 2 ? `${t.right} ${t.dogRight}` : t.dogMore;
    if (away.value.length === 2) done(true);
  };
  return (
    <><div class="lessoncards">{[S(14), S(9), H(13), H(5), D(14), D(7), C(8), C(3)].filter((card) => !away.value.includes(card)).map((card) => <button key={card} data-card={card} aria-label={w().card(card)} onClick={() => tap(card)}><Card card={card} hidden /></button>)}</div>
      <p class="verdictline" role="status">{said.value}</p></>
  );
};

export const Learn = () => {
  const { learn: t, contract } = w();
  const at = useSignal(0);
  const good = useSignal(true);
  const done = (value: boolean) => { if (value) good.value = true; };
  const steps: { title: string; text: string; body: ComponentChildren; asks: boolean }[] = [
    { title: t.cardsTitle, text: t.cards, asks: false, body: <><Row cards={[S(1), H(7), D(11), C(12), H(13), S(14)]} /><Row cards={[T(1), T(9), T(21), X]} /></> },
    { title: t.boutsTitle, text: t.bouts, asks: true, body: <Choose cards={[H(14), T(20), T(1), S(1)]} done={done} answer={(card) => ({ good: card === T(1), text: w().card(card) })} /> },
    { title: t.bidTitle, text: t.bid, asks: true, body: <><Row cards={HAND} /><Words options={[[Contract.PASS, contract(1)], [Contract.PRISE, contract(2)], [Contract.GARDE, contract(3)]]} done={done}
      answer={(bid) => ({ good: bid === Contract.GARDE, text: bid === Contract.GARDE ? t.bidRight : bid === Contract.PASS ? t.bidPass : t.bidLow })} /></> },
    { title: t.dogTitle, text: t.dog, asks: true, body: <Voids done={done} /> },
    { title: t.followTitle, text: t.follow, asks: true, body: <><Row cards={[H(6), H(14)]} /><Choose cards={[H(13), H(5), T(4), S(9)]} done={done}
      answer={(card) => ({ good: card === H(5), text: card === H(5) ? t.followRight : card === H(13) ? t.followWaste : t.followIllegal })} /></> },
    { title: t.trumpTitle, text: t.trump, asks: true, body: <><Row cards={[C(10), T(9)]} /><Choose cards={[T(21), T(12), T(6), S(9)]} done={done}
      answer={(card) => ({ good: card === T(12), text: card === T(12) ? t.trumpRight : card === T(21) ? t.trumpHigh : card === T(6) ? t.trumpLow : t.trumpSuit })} /></> },
    { title: t.excuseTitle, text: t.excuse, asks: true, body: <><Row cards={[D(14), D(2)]} /><Choose cards={[D(7), X]} done={done} answer={(card) => ({ good: card === X, text: card === X ? t.excuseRight : t.excuseWrong })} /></> },
    { title: t.scoreTitle, text: t.score, asks: true, body: <><p class="strong">{t.scoreAsk}</p><Words options={[[64, "64"], [128, "128"], [192, "192"]]} done={done} answer={(n) => ({ good: n === 192, text: n === 192 ? t.scoreRight : t.scoreWrong })} /></> },
    { title: t.endTitle, text: t.end, asks: false, body: <Row cards={[D(13), X, T(21), H(14), S(11)]} /> },
  ];
  const step = steps[at.value]!;
  const move = (by: number) => { at.value = Math.max(0, Math.min(steps.length - 1, at.value + by)); good.value = false; };
  const start = () => { choose({ ranked: false, players: 4 }); go("/"); void play(account.value?.name ?? proposeName()); };
  return (
    <Frame>
      <h1 class="title">{t.title}</h1><p class="muted">{t.lead}</p>
      <section class="felt lesson" aria-live="polite">
        <p class="muted s">{t.step(at.value + 1, steps.length)}</p><h2>{step.title}</h2><p class="lead">{step.text}</p>
        <div key={at.value} class="lessonbody">{step.body}</div>
        <div class="row wrap">
          {at.value > 0 && <button class="btn" onClick={() => move(-1)}>{t.previous}</button>}
          {at.value < steps.length - 1 ? <button class={`btn ${good.value || !step.asks ? "gold" : ""}`} data-test="go-on" onClick={() => move(1)}>{t.next}</button>
            : <><button class="btn gold" onClick={start}>{t.done}</button><button class="btn" onClick={() => { at.value = 0; }}>{t.again}</button></>}
        </div>
      </section>
    </Frame>
  );
};
