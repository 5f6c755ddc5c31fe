/** Finds texts of a request with invisible or look-alike characters. Pure. */
import type { JsonValue } from '@permitry/protocol';
import { toSegments } from '@permitry/protocol/inert-text';
import type { Path } from '../parameter-tree/difference.ts';
import { childrenOf } from '../parameter-tree/tree-rows.ts';

export interface HiddenText {
  /** Member names and item indexes, from the root inwards. */
  path: Path;
  /** The number of invisible characters. */
  unseen: number;
  /** The number of words and characters that look like others. */
  suspect: number;
}

/** The most texts to report. Further ones would add little about a request that is full of them. */
const MOST = 100;

/**
 * All names and texts, in the order of the canonical text.
 *
 * @example findHidden({ to: 'p\u0430ypal' }) // [{ path: ['to'], unseen: 0, suspect: 1 }]
 */
export function findHidden(value: JsonValue, path: Path = [], found: HiddenText[] = []): HiddenText[] {
  if (typeof value === 'string') add(found, path, value);
  for (const [name, child] of childrenOf(value)) {
    if (found.length >= MOST) break;
    const at = [...path, name];
    if (typeof name === 'string') add(found, at, name);
    findHidden(child, at, found);
  }
  return found;
}

function add(found: HiddenText[], path: Path, text: string): void {
  let unseen = 0;
  let suspect = 0;
  for (const segment of toSegments(text)) {
    if (segment.kind === 'unseen') unseen += segment.chars;
    else if (segment.kind === 'suspect') suspect += 1;
  }
  if (unseen + suspect === 0) return;
  const last = found.at(-1);
  // A name and its value count as one place.
  if (last && last.path.length === path.length && last.path.every((step, n) => step === path[n])) {
    last.unseen += unseen;
    last.suspect += suspect;
  } else found.push({ path, unseen, suspect });
}
