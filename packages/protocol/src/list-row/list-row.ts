/**
 * Owns the rule by which a request may be approved in a list: one row shows all of it, and nothing in it needs a mark.
 * The gate and the pages ask the same rule. Pure; runs in browsers.
 */
import { isPlain } from '../inert-text/to-segments.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { excerptOfParams, excerptOfProperties, excerptOfWords } from './excerpt.ts';

/**
 * Why a row does not show a request as it is. `cut`: it is too long, too deep or has too many values. `marked`: a
 * character in it cannot be seen, breaks the line, or passes for another one.
 */
export type RowObstacle = 'cut' | 'marked';

/** Of a request, what its requester chose. */
export interface RowContent {
  action: string;
  params: JsonObject;
  metadata: JsonObject;
  /** What the row calls the requester and its source. */
  names: readonly string[];
}

/** More values than that are no longer read on one line. */
const MOST_VALUES = 12;
/** 2: a parameter may be a list or an object, and what is in it may not. */
const DEEPEST = 2;
/** Of all that the requester sent along: more is not looked through for marks, and counts as cut. */
const LONGEST_METADATA = 2000;

/**
 * @returns undefined when the row shows all of it and has nothing to mark
 * @example rowObstacle({ action: 'mail.send', params: { to: 'a\u202eb' }, metadata: {}, names: [] }) // 'marked'
 */
export function rowObstacle({ action, params, metadata, names }: RowContent): RowObstacle | undefined {
  const line = excerptOfParams(params);
  if (line.more > 0 || !isFlat(params)) return 'cut';
  const words = excerptOfWords(metadata);
  const sentAlong = excerptOfProperties(metadata, LONGEST_METADATA);
  if ((words?.more ?? 0) > 0 || sentAlong.more > 0) return 'cut';
  // A row shows the requester's explanation, and of several members no other.
  if (Object.keys(metadata).length > 1 && words?.text !== sentAlong.text) return 'cut';
  return [action, ...names, line.text, sentAlong.text].every(isUnmarked) ? undefined : 'marked';
}

/** Whether a row shows the text as it is: on one line, and without a mark. */
export function isUnmarked(text: string): boolean {
  return !text.includes('\n') && isPlain(text);
}

function isFlat(params: JsonObject): boolean {
  let left = MOST_VALUES;
  const fits = (value: JsonValue, depth: number): boolean => {
    if (value === null || typeof value !== 'object') {
      left -= 1;
      return left >= 0;
    }
    return depth <= DEEPEST && Object.values(value).every((child) => fits(child, depth + 1));
  };
  return fits(params, 1);
}
