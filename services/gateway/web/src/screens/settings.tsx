// The screen of the settings, which this browser keeps.
import { Frame } from "../pieces/frame";
import { Panel, Segment } from "../pieces/parts";
import { change, settings } from "../state/settings";
import { w } from "../words";
import { KeyList } from "./table/keys";

const Switch = ({ label, value, set }: { label: string; value: boolean; set(value: boolean): void }) => {
  const { settings: t } = w();
  return <li><span>{label}</span><Segment label={label} value={value ? "on" : "off"} options={[["on", t.on], ["off", t.off]]} set={(next) => set(next === "on")} /></li>;
};

export const SettingsList = () => {
  const { settings: t } = w();
  const now = settings.value;
  return (
    <ul class="sets">
      <li><span>{t.language}</span><Segment label={t.language} value={now.lang} options={[["en", "English"], ["fr", "Français"]]} set={(lang) => change({ lang })} /></li>
      <li><span>{t.theme}</span><Segment label={t.theme} value={now.theme} options={[["auto", t.auto], ["light", t.light], ["dark", t.dark]]} set={(theme) => change({ theme })} /></li>
      <li><span>{t.deck}</span><Segment label={t.deck} value={now.deck} options={[["four", t.four], ["two", t.two]]} set={(deck) => change({ deck })} /></li>
      <li><span>{t.letters}</span><Segment label={t.letters} value={now.letters} options={[["fr", t.french], ["en", t.english]]} set={(letters) => change({ letters })} /></li>
      <Switch label={t.sound} value={now.sound} set={(sound) => change({ sound })} />
      <li><label for="hold">{t.hold}</label><span class="row tight"><input id="hold" type="range" min="600" max="3000" step="200" value={now.hold} onInput={(event) => change({ hold: Number(event.currentTarget.value) })} /><output for="hold">{t.seconds(now.hold)}</output></span></li>
      <Switch label={t.oneTap} value={now.oneTap} set={(oneTap) => change({ oneTap })} />
      <Switch label={t.keys} value={now.keys} set={(keys) => change({ keys })} />
    </ul>
  );
};

export const SettingsScreen = () => (
  <Frame><h1 class="title">{w().settings.title}</h1><div class="cols"><Panel><SettingsList /><p><a class="btn small" href="/account">{w().settings.account}</a></p></Panel><Panel title={w().keys.title}><KeyList /></Panel></div></Frame>
);
