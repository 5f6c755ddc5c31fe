/** Keeps so many values at most, by key: what was kept longest makes room. Kept anew, a value is the newest. */
export class NewestKept<K, V> {
  readonly #most: number;
  readonly #kept = new Map<K, V>();
  /** Lasts, and is asked only while more is kept than may be: a walk from the start would pass all that has gone. */
  readonly #oldestFirst = this.#kept.keys();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    return this.#kept.get(key);
  }

  keep(key: K, value: V): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    if (this.#kept.size <= this.#most) return;
    const oldest = this.#oldestFirst.next();
    if (!oldest.done) this.#kept.delete(oldest.value);
  }

  drop(key: K): void {
    this.#kept.delete(key);
  }
}
