/**
 * Keeps at most a fixed number of values by key. A new value replaces the oldest. Setting an existing key moves it to
 * the newest position.
 */
export class NewestKept<K, V> {
  readonly #most: number;
  readonly #kept = new Map<K, V>();
  /** One iterator for many evictions, because a new iterator would first step over everything deleted. */
  #oldestFirst = this.#kept.keys();
  #keptSince = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    return this.#kept.get(key);
  }

  keep(key: K, value: V): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    // Renews the iterator now and then. The tables that the map has outgrown, with their content, stay in memory until
    // the iterator moves.
    if (++this.#keptSince > this.#most) {
      this.#oldestFirst = this.#kept.keys();
      this.#keptSince = 0;
    }
    if (this.#kept.size <= this.#most) return;
    const oldest = this.#oldestFirst.next();
    if (!oldest.done) this.#kept.delete(oldest.value);
  }

  drop(key: K): void {
    this.#kept.delete(key);
  }
}
