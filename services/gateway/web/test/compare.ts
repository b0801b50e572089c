// Compares pictures of a screen with a reviewed sheet. A sheet is one small image with all window
// sizes and both themes.
import type { Page } from "playwright-core";

export interface Shot {
  width: number;
  height: number;
  theme: "light" | "dark";
  /** The picture as PNG, in base64. */
  png: string;
}

/** A sheet has a quarter of the length and of the width of each picture. */
const SCALE = 0.25;
/** The comparison takes the mean colour of squares with this side, in pixels of the sheet. */
const SIDE = 6;
/** Two squares differ if their mean colours differ by more than this number in one colour channel,
 *  which has values from 0 to 255. Other versions of a browser draw the edges of letters in another
 *  way, which changes a mean by less. */
const LIMIT = 30;

/** Draws the sheet of the pictures. Compares it with `reviewed`, a sheet as WebP in base64, and lists the squares that
 *  differ. `most` is the largest difference of a square. Without `reviewed` nothing differs. */
export async function compare(lab: Page, shots: readonly Shot[], reviewed?: string): Promise<{ sheet: string; differs: string[]; most: number }> {
  return lab.evaluate(async ({ shots, reviewed, scale, side, limit }) => {
    const image = async (type: string, base64: string) => createImageBitmap(await (await fetch(`data:image/${type};base64,${base64}`)).blob());
    const places = shots.map((shot, index) => ({
      shot, x: shots.filter((one, before) => before < index && one.theme === shot.theme).reduce((sum, one) => sum + Math.ceil(one.width * scale), 0),
      y: shot.theme === "light" ? 0 : Math.ceil(Math.max(...shots.map((one) => one.height)) * scale), w: Math.ceil(shot.width * scale), h: Math.ceil(shot.height * scale),
    }));
    const canvas = new OffscreenCanvas(Math.max(...places.map((one) => one.x + one.w)), Math.max(...places.map((one) => one.y + one.h)));
    const pen = canvas.getContext("2d", { willReadFrequently: true })!;
    pen.imageSmoothingQuality = "high";
    for (const { shot, x, y, w, h } of places) pen.drawImage(await image("png", shot.png), x, y, w, h);
    const pixels = () => pen.getImageData(0, 0, canvas.width, canvas.height).data;
    const fresh = pixels();
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.7 });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    const differs: string[] = [];
    let all = 0;
    if (reviewed !== undefined) {
      const old = await image("webp", reviewed);
      if (old.width !== canvas.width || old.height !== canvas.height) return { sheet: btoa(text), differs: ["the sheet has another size"], most: 255 };
      pen.drawImage(old, 0, 0);
      const before = pixels();
      const mean = (data: Uint8ClampedArray, left: number, top: number, channel: number) => {
        let sum = 0;
        for (let y = top; y < top + side; ++y) for (let x = left; x < left + side; ++x) sum += data[4 * (y * canvas.width + x) + channel]!;
        return sum / (side * side);
      };
      for (const { shot, x, y, w, h } of places) {
        for (let top = y; top + side <= y + h; top += side) for (let left = x; left + side <= x + w; left += side) {
          const most = Math.max(...[0, 1, 2].map((channel) => Math.abs(mean(fresh, left, top, channel) - mean(before, left, top, channel))));
          all = Math.max(all, Math.round(most));
          if (most > limit) differs.push(`${shot.width} px wide, ${shot.theme}, at ${Math.round((left - x) / scale)}, ${Math.round((top - y) / scale)}: by ${Math.round(most)}`);
        }
      }
    }
    return { sheet: btoa(text), differs, most: all };
  }, { shots: [...shots], reviewed, scale: SCALE, side: SIDE, limit: LIMIT });
}
