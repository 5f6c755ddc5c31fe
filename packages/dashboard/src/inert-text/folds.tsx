/** Counts what is folded away, so that it can be said beside the buttons that decide. */
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';

export class FoldCount {
  #count = 0;
  readonly #watchers = new Set<() => void>();

  readonly add = (): (() => void) => {
    this.#change(1);
    return () => this.#change(-1);
  };

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  readonly count = (): number => this.#count;

  #change(by: number): void {
    this.#count += by;
    for (const watcher of this.#watchers) watcher();
  }
}

const Scope = createContext<FoldCount | null>(null);

/** What is folded inside counts there. */
export function FoldScope({ folds, children }: { folds: FoldCount; children: ReactNode }): ReactNode {
  return <Scope value={folds}>{children}</Scope>;
}

/** Rendered wherever something is folded away, for as long as it is. */
export function Fold(): ReactNode {
  const scope = useContext(Scope);
  useEffect(() => scope?.add(), [scope]);
  return null;
}

export function useFolds(): FoldCount {
  return useState(() => new FoldCount())[0];
}

/** How many places are folded now. */
export function useFoldCount(folds: FoldCount): number {
  return useSyncExternalStore(folds.subscribe, folds.count);
}
