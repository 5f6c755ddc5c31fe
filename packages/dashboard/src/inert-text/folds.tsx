/** Collects what is folded away, so that it can be said beside the buttons that decide. */
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';

/** One place that is not shown, or not to its end. */
export interface FoldedPart {
  /** What others call it: a member's name or an item's place, from 0. */
  name?: string | number | null;
  /** How much of it is shown, e.g. `2,500 rows, 20 shown`. */
  size?: string;
}

export class Folds {
  #parts: readonly FoldedPart[] = [];
  readonly #watchers = new Set<() => void>();

  readonly add = (part: FoldedPart): (() => void) => {
    this.#change([...this.#parts, part]);
    return () => this.#change(this.#parts.filter((other) => other !== part));
  };

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  readonly parts = (): readonly FoldedPart[] => this.#parts;

  #change(parts: readonly FoldedPart[]): void {
    this.#parts = parts;
    for (const watcher of this.#watchers) watcher();
  }
}

const Scope = createContext<Folds | null>(null);

/** What is folded inside is collected there; with null it is not. */
export function FoldScope({ folds, children }: { folds: Folds | null; children: ReactNode }): ReactNode {
  return <Scope value={folds}>{children}</Scope>;
}

/** Rendered wherever something is folded away, for as long as it is. */
export function Fold({ name, size }: FoldedPart): ReactNode {
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
export function useFoldedParts(folds: Folds): readonly FoldedPart[] {
  return useSyncExternalStore(folds.subscribe, folds.parts);
}
