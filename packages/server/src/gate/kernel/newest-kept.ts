/** Keeps so many values at most, by key: what was kept longest makes room. Kept anew, a value is the newest. */
export class NewestKept<K, V> {
  readonly #most: number;
  readonly #kept = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    return this.#kept.get(key);
  }

  keep(key: K, value: V): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > this.#most && !oldest.done) this.#kept.delete(oldest.value);
  }

  drop(key: K): void {
    this.#kept.delete(key);
  }
}
