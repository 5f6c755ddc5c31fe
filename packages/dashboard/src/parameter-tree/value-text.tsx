import type { JsonValue } from '@permitry/protocol';
import type { ReactNode } from 'react';
import { InertAddresses, InertText } from '../inert-text/inert-text.tsx';
import { saySize, sizeOf } from '../inert-text/text-size.ts';
import { formatNumber } from '../ui/format.ts';
import * as words from './parameter-tree.words.ts';
import { countOf, kindOf, type ValueKind } from './tree-rows.ts';

const FOLD = 400;
/** From this length, a text says how long it is. */
const LONG = 80;
/** From this size, a number is also shown with grouped digits. */
const BIG = 10_000;

/** The kind of a value: `string`, `number`, `array (3)`. */
export function sayKind(kind: ValueKind, count: number | null): string {
  switch (kind) {
    case 'string':
      return words.string;
    case 'boolean':
      return words.boolean;
    case 'array':
      return words.array(count ?? 0);
    case 'object':
      return words.object(count ?? 0);
    default:
      return kind;
  }
}

/**
 * One value as it was written. Texts are in quotes, so that spaces at their ends are visible, and so that empty, null
 * and the text "null" look different.
 */
export function ValueText({ value, fold = FOLD }: { value: JsonValue; fold?: number }): ReactNode {
  if (typeof value === 'string') return <StringText text={value} fold={fold} />;
  if (typeof value === 'number') {
    return (
      <span className="value value-number">
        {String(value)}
        <Grouped value={value} />
      </span>
    );
  }
  if (typeof value === 'boolean') return <span className="value value-boolean">{String(value)}</span>;
  if (value === null) return <span className="value value-null">{String(value)}</span>;
  const count = countOf(value);
  return (
    <span className="value value-group">
      {Array.isArray(value) ? '[ ]' : '{ }'}{' '}
      <span className="value-note">{sayKind(kindOf(value), count)}</span>
    </span>
  );
}

function StringText({ text, fold }: { text: string; fold: number }): ReactNode {
  return (
    <span className="value value-string">
      <span className="value-quote">"</span>
      <InertText text={text} fold={fold} />
      {text.length <= fold && <span className="value-quote">"</span>}
      {text === '' && <span className="value-note">{words.emptyString}</span>}
      {text.length > LONG && text.length <= fold && (
        <span className="value-note">{saySize(sizeOf(text))}</span>
      )}
      <InertAddresses text={text} />
    </span>
  );
}

/** Seven zeros and eight look alike; groups of three do not. */
function Grouped({ value }: { value: number }): ReactNode {
  if (Math.abs(value) < BIG || !/^-?\d+(\.\d+)?$/.test(String(value))) return null;
  return <span className="value-note">{formatNumber(value)}</span>;
}
