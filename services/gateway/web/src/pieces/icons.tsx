// The icons of the page, drawn with strokes in a box of 24 × 24.
const PATHS = {
  back: "M14 5l-7 7 7 7", forward: "M10 5l7 7-7 7", first: "M18 5l-7 7 7 7M7 5v14", last: "M6 5l7 7-7 7M17 5v14",
  sheet: "M6 3h12v18H6zM9 8h6M9 12h6M9 16h4", cards: "M8 3h9v14H8zM5 7v14h9",
  sound: "M4 9h4l5-4v14l-5-4H4zM16.5 8.5c1.8 2 1.8 5 0 7M19 6c3.3 3.5 3.3 8.5 0 12", mute: "M4 9h4l5-4v14l-5-4H4zM17 9l5 6M22 9l-5 6",
  gear: "M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  bot: "M12 3v3M6 7h12v10H6zM9.5 11v1.5M14.5 11v1.5M10 20h4", play: "M7 4l12 8-12 8z", pause: "M8 5v14M16 5v14",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  bars: "M4 20V13h5v7M9.5 20V5h5v15M15 20v-9h5v9M2 20h20", book: "M4 5c3-1 6-1 8 1 2-2 5-2 8-1v14c-3-1-6-1-8 1-2-2-5-2-8-1zM12 6v14",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-6 8-6s7 2 8 6",
  people: "M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 19c.5-3.5 3-5 6.5-5s6 1.5 6.5 5M16 5.5a3.5 3.5 0 0 1 0 6M17.5 14.5c2.3.5 3.7 2 4 4.5",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5h4", net: "M3 9c5-5 13-5 18 0M6 12.5c3.5-3.5 8.5-3.5 12 0M9 16c2-2 4-2 6 0M12 19.5v.01",
  shield: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1", flag: "M6 21V4h11l-2 4 2 4H6",
  more: "M5 12v.01M12 12v.01M19 12v.01", close: "M6 6l12 12M18 6L6 18",
} as const;
export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="ic" viewBox="0 0 24 24" aria-hidden="true"><path d={PATHS[name]} /></svg>
);

/** The sign of the page: a sun of 21 rays. */
export const Sun = () => (
  <svg viewBox="0 0 100 100" fill="currentColor" aria-hidden="true">
    {Array.from({ length: 21 }, (_, at) => (
      <path key={at} transform={`rotate(${(at * 360) / 21} 50 50)`} d="M50 28c-3-6-3-14 0-26 3 12 3 20 0 26z" />
    ))}
    <circle cx="50" cy="50" r="15" />
  </svg>
);
