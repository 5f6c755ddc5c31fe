/** What a browser keeps for these pages. It may keep nothing: then it is as if nothing had been kept. */

export function recall(key: string, storage: () => Storage = () => localStorage): string | null {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

/** Null: it is forgotten. */
export function keep(key: string, value: string | null, storage: () => Storage = () => localStorage): void {
  try {
    if (value === null) storage().removeItem(key);
    else storage().setItem(key, value);
  } catch {
    // It holds for as long as the page.
  }
}
