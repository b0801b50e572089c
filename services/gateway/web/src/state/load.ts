// Loads the data of a part of a screen, and keeps the value or the error.
import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export interface Loaded<T> { value: Signal<T | undefined>; error: Signal<unknown>; again(): void }

/** Calls `work` when the screen opens and when `keys` change. If `every` is set, also calls it
 *  again each time after this number of milliseconds. */
export function useLoad<T>(work: () => Promise<T>, keys: readonly unknown[], every = 0): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const again = () => {
    work().then((got) => { value.value = got; error.value = undefined; }, (reason) => { error.value = reason; });
  };
  useEffect(() => {
    value.value = undefined;
    error.value = undefined;
    again();
    if (!every) return;
    const timer = setInterval(() => { if (document.visibilityState === "visible") again(); }, every);
    return () => clearInterval(timer);
  }, keys);
  return { value, error, again };
}
