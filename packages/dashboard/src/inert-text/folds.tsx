/** Collects what is folded away, so that it can be said beside the buttons that decide. */
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';

/** One place that is not shown, or not to its end. */
export interface FoldedPlace {
  /** What others call it: a member's name or an item's place, from 0. */
  name?: string | number | null;
  /** How much of it is shown, e.g. `2,500 rows, 20 shown`. */
  size?: string;
}

export class Folds {
  #places: readonly FoldedPlace[] = [];
  readonly #watchers = new Set<() => void>();

  readonly add = (place: FoldedPlace): (() => void) => {
    this.#change([...this.#places, place]);
    return () => this.#change(this.#places.filter((other) => other !== place));
  };

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  readonly places = (): readonly FoldedPlace[] => this.#places;

  #change(places: readonly FoldedPlace[]): void {
    this.#places = places;
    for (const watcher of this.#watchers) watcher();
  }
}

const Scope = createContext<Folds | null>(null);

/** What is folded inside is collected there; with null it is not. */
export function FoldScope({ folds, children }: { folds: Folds | null; children: ReactNode }): ReactNode {
  return <Scope value={folds}>{children}</Scope>;
}

/** Rendered wherever something is folded away, for as long as it is. */
export function Fold({ name, size }: FoldedPlace): ReactNode {
  const scope = useContext(Scope);
  useEffect(
    () => scope?.add({ ...(name !== undefined && { name }), ...(size !== undefined && { size }) }),
    [scope, name, size],
  );
  return null;
}

export function useFolds(): Folds {
  return useState(() => new Folds())[0];
}

/** What is folded now. */
export function useFoldedPlaces(folds: Folds): readonly FoldedPlace[] {
  return useSyncExternalStore(folds.subscribe, folds.places);
}
