/** The kinds of ids, by the word that an id begins with. */
export const ID_PREFIXES = [
  'int',
  'prj',
  'agt',
  'key',
  'pmt',
  'rct',
  'evt',
  'whk',
  'usr',
  'prf',
  'req',
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

const OPAQUE_PART = /^[0-9A-Za-z]{1,64}$/;

/**
 * Whether a value has the form of an id of this kind. The part after the prefix is opaque; only its characters and
 * length are checked.
 *
 * @example isId('int', 'int_01kaftx2q8n5m9y0a3v7c1d4ez') // true
 */
export function isId(prefix: IdPrefix, value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.startsWith(`${prefix}_`) &&
    OPAQUE_PART.test(value.slice(prefix.length + 1))
  );
}
