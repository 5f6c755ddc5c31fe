import type { ReactNode } from 'react';
import { InertText } from '../inert-text/inert-text.tsx';
import { type Path, pointerOf } from './difference.ts';
import * as words from './parameter-tree.words.ts';

/** The path of a value: `items › [2] › price`. */
export function PathText({ path }: { path: Path }): ReactNode {
  return path.map((name, index) => (
    <span key={pointerOf(path.slice(0, index + 1))}>
      {index > 0 && <span className="difference-step"> › </span>}
      {typeof name === 'number' ? words.at(name) : <InertText text={name} fold={80} />}
    </span>
  ));
}
