// Keeps small values in localStorage. If a browser refuses storage, the values last until a reload.
const PREFIX = "tarot.";
const memory = new Map<string, string>();

export function read<T>(key: string): T | undefined {
  let text: string | null | undefined = memory.get(key);
  try { text = localStorage.getItem(PREFIX + key) ?? text; } catch { /* No storage. */ }
  if (!text) return undefined;
  try { return JSON.parse(text) as T; } catch { return undefined; }
}

export function write(key: string, value: unknown) {
  const text = JSON.stringify(value);
  memory.set(key, text);
  try { localStorage.setItem(PREFIX + key, text); } catch { /* No storage. */ }
}

export function remove(key: string) {
  memory.delete(key);
  try { localStorage.removeItem(PREFIX + key); } catch { /* No storage. */ }
}
