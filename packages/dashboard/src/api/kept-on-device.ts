/** What a browser keeps for these pages. It may keep nothing: then it is as if nothing had been kept. */

type Memory = 'localStorage' | 'sessionStorage';

export function recall(key: string, memory: Memory = 'localStorage'): string | null {
  try {
    return window[memory].getItem(key);
  } catch {
    return null;
  }
}

/** Null: it is forgotten. */
export function keep(key: string, value: string | null, memory: Memory = 'localStorage'): void {
  try {
    if (value === null) window[memory].removeItem(key);
    else window[memory].setItem(key, value);
  } catch {
    // It holds for as long as the page.
  }
}
