/** Says beside the buttons which lists of the request are not shown to their end. */
import { createContext, type ReactNode, useContext, useEffect, useId, useMemo, useState } from 'react';
import { InertText } from '../inert-text/inert-text.tsx';
import { type PartlyShown, sayShown } from './tree-rows.ts';

type Told = ReadonlyMap<string, readonly PartlyShown[]>;

const Tell = createContext<((tree: string, parts: readonly PartlyShown[]) => void) | null>(null);
const Parts = createContext<readonly PartlyShown[]>([]);

/** Around the parameters and the buttons. */
export function PartlyShownScope({ children }: { children: ReactNode }): ReactNode {
  const [told, setTold] = useState<Told>(new Map());
  const tell = useMemo(
    () => (tree: string, parts: readonly PartlyShown[]) =>
      setTold((before) => new Map([...before, [tree, parts]])),
    [],
  );
  const parts = useMemo(() => [...told.values()].flat(), [told]);
  return (
    <Tell value={tell}>
      <Parts value={parts}>{children}</Parts>
    </Tell>
  );
}

/** For what shows a part of something, for as long as it is there. */
export function useTellPartlyShown(parts: readonly PartlyShown[]): void {
  const tell = useContext(Tell);
  const id = useId();
  useEffect(() => {
    tell?.(id, parts);
    return () => tell?.(id, []);
  }, [tell, id, parts]);
}

/** @example <PartlyShownNote /> // rows: 2,500 rows, 20 shown */
export function PartlyShownNote(): ReactNode {
  const parts = useContext(Parts);
  if (parts.length === 0) return null;
  return (
    <ul className="partly-shown" aria-label="Not shown to the end">
      {parts.map((part) => (
        <li key={part.pointer}>
          {part.name !== null && (
            <>
              <b>
                {typeof part.name === 'string' ? (
                  <InertText text={part.name} fold={80} />
                ) : (
                  `Item ${part.name + 1}`
                )}
              </b>
              :{' '}
            </>
          )}
          {sayShown(part)}
        </li>
      ))}
    </ul>
  );
}
