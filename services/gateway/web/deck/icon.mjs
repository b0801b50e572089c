// Draws the icons of the page as PNG files: the sun of static/icon.svg, for home screens that show no SVG.
import { deflateSync } from "node:zlib";

const FELT = [0x27, 0x46, 0x3c];
const GOLD = [0xf2, 0xc6, 0x6b];
const RAYS = 21;
/** The left side of the ray that points up, on a square of 100 × 100: a cubic curve from its foot to its tip. The right
 *  side is its mirror image. */
const SIDE = [[50, 28], [47, 22], [47, 14], [50, 2]];
const DISC = 15;
/** Each pixel is the mean of this number of points in each direction. */
const POINTS = 4;

/** Half of the width of the ray at each tenth of a unit of its height, from y = 2 to y = 28. */
const WIDTHS = new Array(261).fill(0);
for (let step = 0; step <= 2000; ++step) {
  const t = step / 2000;
  const at = (axis) => SIDE.reduce((sum, point, n) => sum + point[axis] * [1, 3, 3, 1][n] * t ** n * (1 - t) ** (3 - n), 0);
  WIDTHS[Math.round(10 * (at(1) - 2))] = 50 - at(0);
}
const inRay = (x, y) => Math.abs(x - 50) < (WIDTHS[Math.round(10 * (y - 2))] ?? 0);

/** Returns true if the point of the square of 100 × 100 is gold. All rays are equal, so the
 *  function turns the point to the ray that points up. */
function isGold(x, y, scale) {
  const [dx, dy] = [(x - 50) / scale, (y - 50) / scale];
  const distance = Math.hypot(dx, dy);
  if (distance < DISC) return true;
  if (distance < 21 || distance > 49) return false;
  const step = (2 * Math.PI) / RAYS;
  const angle = Math.atan2(dx, -dy);
  const turned = angle - Math.round(angle / step) * step;
  return inRay(50 + distance * Math.sin(turned), 50 - distance * Math.cos(turned));
}

/** Returns true if the point is inside the square with round corners. */
function isInside(x, y, corner) {
  const [dx, dy] = [Math.max(corner - x, x - 100 + corner, 0), Math.max(corner - y, y - 100 + corner, 0)];
  return Math.hypot(dx, dy) <= corner;
}

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; ++bit) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** The colours of the picture: 16 shades from felt to gold, and for the round corners 16 shades
 *  from transparent to felt. */
const SHADES = 16;
const mixed = (share) => FELT.map((felt, at) => Math.round(felt + share * (GOLD[at] - felt)));
const PALETTE = [...Array.from({ length: SHADES }, (_, at) => mixed(at / (SHADES - 1))), ...Array.from({ length: SHADES }, () => FELT)];
const ALPHA = PALETTE.map((_, at) => (at < SHADES ? 255 : Math.round((255 * (at - SHADES)) / (SHADES - 1))));

/** Returns a PNG of `size` × `size` pixels. `scale` is the size of the sun, and `corner` the radius
 *  of the corners, both on a square of 100 × 100. */
export function icon(size, scale, corner) {
  const rows = Buffer.alloc(size * (size + 1));
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column) {
      let gold = 0;
      let inside = 0;
      for (let point = 0; point < POINTS * POINTS; ++point) {
        const x = (100 * (column + ((point % POINTS) + 0.5) / POINTS)) / size;
        const y = (100 * (row + (Math.floor(point / POINTS) + 0.5) / POINTS)) / size;
        if (isGold(x, y, scale)) ++gold;
        if (isInside(x, y, corner)) ++inside;
      }
      const all = POINTS * POINTS;
      const shade = (share) => Math.round(share * (SHADES - 1));
      rows[row * (size + 1) + 1 + column] = inside < all ? SHADES + shade(inside / all) : shade(gold / all);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 3], 8);  // Each pixel has eight bits, the number of a colour of the palette.
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk("IHDR", header), chunk("PLTE", Buffer.from(PALETTE.flat())),
    chunk("tRNS", Buffer.from(ALPHA)), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Returns the files of the icons. A home screen may show only the middle of an icon, so the sun of
 *  icon-mask is smaller. */
export const icons = () => ({
  "icon-192.png": icon(192, 0.8, 22), "icon-512.png": icon(512, 0.8, 22), "icon-mask-512.png": icon(512, 0.6, 0), "icon-180.png": icon(180, 0.7, 0),
});
