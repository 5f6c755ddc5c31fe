/** Values that the browser stores for the dashboard. A browser may refuse storage; then nothing is stored. */

type Memory = 'localStorage' | 'sessionStorage';

export function recall(key: string, memory: Memory = 'localStorage'): string | null {
  try {
    return window[memory].getItem(key);
  } catch {
    return null;
  }
}

/** A null value removes the key. */
export function keep(key: string, value: string | null, memory: Memory = 'localStorage'): void {
  try {
    if (value === null) window[memory].removeItem(key);
    else window[memory].setItem(key, value);
  } catch {
    // Storage is refused: the value lasts only while the page is open.
  }
}
