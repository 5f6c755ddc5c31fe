/** Collects the folded parts, so that the page can list them next to the decision buttons. */
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';

/** One place that is hidden, or shown only in part. */
export interface FoldedPart {
  /** The name that the requester gave the place: a member's name, or an item's index from 0. */
  name?: string | number | null;
  /** How much of the place is visible, e.g. `2,500 rows, 20 shown`. */
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

/** Collects the folds inside it into `folds`; null collects none. */
export function FoldScope({ folds, children }: { folds: Folds | null; children: ReactNode }): ReactNode {
  return <Scope value={folds}>{children}</Scope>;
}

/** Rendered where something is folded, for as long as it is folded. */
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

/** The parts that are folded at the moment. */
export function useFoldedParts(folds: Folds): readonly FoldedPart[] {
  return useSyncExternalStore(folds.subscribe, folds.parts);
}
