/**
 * Owns the rule for requests that may be approved in a list. One row must show the whole request, and no character in
 * the row may need a mark. The gate and the dashboard use the same rule. Pure; runs in browsers.
 */
import { isPlain } from '../inert-text/to-segments.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { excerptOfParams, excerptOfProperties, excerptOfWords } from './excerpt.ts';

/**
 * Why a row does not show a request completely. `cut`: it is too long, too deep or has too many values. `marked`: a
 * character in it is invisible, breaks the line, or passes for another one.
 */
export type RowObstacle = 'cut' | 'marked';

/** The parts of a request that its requester chose. */
export interface RowContent {
  action: string;
  params: JsonObject;
  metadata: JsonObject;
  /** The names that the row shows for the requester and its source. */
  names: readonly string[];
}

/** People do not read more values than this on one line. */
const MOST_VALUES = 12;
/** 2: a parameter may be a list or an object, but must not contain another one. */
const DEEPEST = 2;
/** Characters of the whole metadata. Longer metadata is not searched for marks and counts as cut. */
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
  // A row shows the requester's explanation, and no further members of the metadata.
  if (Object.keys(metadata).length > 1 && words?.text !== sentAlong.text) return 'cut';
  return [action, ...names, line.text, sentAlong.text].every(isUnmarked) ? undefined : 'marked';
}

/** Whether a row shows the text unchanged: on one line and without a mark. */
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
