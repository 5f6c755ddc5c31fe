/** Keeps so many values at most, by key: what was kept longest makes room. Kept anew, a value is the newest. */
export class NewestKept<K, V> {
  readonly #most: number;
  readonly #kept = new Map<K, V>();
  /** Goes on from eviction to eviction: a new walk would first step over all that was deleted. */
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
    // A walk holds on to all tables that the map has outgrown since it went on, with what stood in them.
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
