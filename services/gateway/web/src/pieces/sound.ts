// Makes the sounds of the page with WebAudio. They are short and quiet. The person's own move and a
// win have no sound.
import { settings } from "../state/settings";

export type Sound = "card" | "trick" | "turn" | "clock";
let context: AudioContext | undefined;

/** Starts the sound. A browser lets a page make sounds only after the person has clicked or pressed
 *  a key. This file usually loads after the click that led to the table, so the sound may start at
 *  once. If not, the next click or key starts it. */
function arm() {
  context ??= new AudioContext();
  if (context.state !== "running") void context.resume();
}
if (navigator.userActivation?.hasBeenActive) arm();
addEventListener("pointerdown", arm, { once: true });
addEventListener("keydown", arm, { once: true });

function tone(at: number, frequency: number, length: number, volume: number, type: OscillatorType = "sine") {
  const oscillator = context!.createOscillator();
  const gain = context!.createGain();
  oscillator.type = type;
  oscillator.frequency.setValueAtTime(frequency, at);
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(volume, at + 0.012);
  gain.gain.exponentialRampToValueAtTime(0.001, at + length);
  oscillator.connect(gain).connect(context!.destination);
  oscillator.start(at);
  oscillator.stop(at + length);
}

/** Plays a short noise, like paper on felt. */
function rush(at: number, length: number, volume: number, frequency: number) {
  const buffer = context!.createBuffer(1, context!.sampleRate * length, context!.sampleRate);
  const data = buffer.getChannelData(0);
  for (let n = 0; n < data.length; ++n) data[n] = (Math.random() * 2 - 1) * (1 - n / data.length) ** 2;
  const source = context!.createBufferSource();
  const filter = context!.createBiquadFilter();
  const gain = context!.createGain();
  source.buffer = buffer;
  filter.type = "bandpass";
  filter.frequency.value = frequency;
  gain.gain.value = volume;
  source.connect(filter).connect(gain).connect(context!.destination);
  source.start(at);
}

export function sound(kind: Sound) {
  if (!settings.value.sound || context?.state !== "running") return;
  const at = context.currentTime;
  if (kind === "card") rush(at, 0.09, 0.4, 2400);
  else if (kind === "trick") { rush(at, 0.16, 0.35, 1200); rush(at + 0.08, 0.14, 0.25, 900); }
  else if (kind === "turn") { tone(at, 587, 0.16, 0.16); tone(at + 0.13, 880, 0.24, 0.16); }
  else { tone(at, 740, 0.09, 0.16, "triangle"); tone(at + 0.16, 740, 0.09, 0.16, "triangle"); }
}
