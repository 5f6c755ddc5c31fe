import type { JsonObject, JsonValue } from '@permitry/protocol';
import type { ReactNode } from 'react';
import { InertText } from './inert-text.tsx';
import { headOf, saySize, sizeOf } from './text-size.ts';

/** How much of one member is shown. */
const LONGEST = 60;

/**
 * The first members of an object on one line; what is left out is counted. For lists: the whole stands on the page of
 * the intent.
 *
 * @example <ParamsPreview params={{ amount: 120, order: 'A-1' }} /> // amount 120 · order "A-1"
 */
export function ParamsPreview({ params, most = 4 }: { params: JsonObject; most?: number }): ReactNode {
  const members = Object.entries(params);
  if (members.length === 0) return <span className="params-preview">no parameters</span>;
  return (
    <span className="params-preview">
      {members.slice(0, most).map(([name, value], index) => (
        <span key={name} className="params-preview-member">
          {index > 0 && ' · '}
          <span className="params-preview-name">
            <InertText text={name} fold={LONGEST} />
          </span>{' '}
          <InertText text={previewOf(value)} fold={LONGEST * 4} />
        </span>
      ))}
      {members.length > most && ` · and ${members.length - most} more`}
    </span>
  );
}

function previewOf(value: JsonValue): string {
  if (typeof value === 'string') {
    const head = headOf(value, LONGEST);
    return head.length === value.length ? JSON.stringify(value) : `"${head}…" (${saySize(sizeOf(value))})`;
  }
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.length} ${value.length === 1 ? 'item' : 'items'}]`;
  const count = Object.keys(value).length;
  return `{${count} ${count === 1 ? 'member' : 'members'}}`;
}
